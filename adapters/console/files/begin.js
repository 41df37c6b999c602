// Within the page, before its style is awaited and anything is shown: light or dark as it was chosen here (theme.js), and
// the texts of the language that was spoken last (session.js), which are on their way while the console itself is. Relative
// addresses of icon and manifest would be resolved again at every path, so they get others.
(() => {
  const links = /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll('[data-href]'))
  for (const link of links) link.href = new URL(link.dataset.href || '', document.baseURI).href
  const files = links[0].href.replace(/[^/]*$/, '')
  const base = new URL('../..', files).pathname.replace(/\/$/, '')
  const theme = localStorage.getItem(`resellerd${base} theme`)
  if (theme) document.documentElement.dataset.theme = theme
  const language = localStorage.getItem(`resellerd${base} spoken`) || navigator.languages.map((l) => /^(?:en|pt|es)/.exec(l)?.[0]).find(Boolean) || 'en'
  const texts = document.createElement('link')
  texts.rel = 'modulepreload'
  texts.fetchPriority = 'high'
  texts.href = files + 'text/' + (language === 'pt' ? 'pt-BR' : language) + '.js'
  document.head.append(texts)
})()
