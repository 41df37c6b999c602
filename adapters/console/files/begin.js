// Within the page, before its style is awaited and anything is shown: light or dark as it was chosen here (theme.js), and
// the texts of the language that was spoken last (session.js), which are on their way while the console itself is. The
// relative address of the icon would be resolved again at every path, so it becomes absolute. Where the browser keeps no
// cookies the console does not begin, and the page says so.
(() => {
  const icon = /** @type {HTMLLinkElement} */ (document.querySelector('[data-href]'))
  icon.href = new URL(icon.dataset.href || '', document.baseURI).href
  const files = icon.href.replace(/[^/]*$/, '')
  const base = new URL('../..', files).pathname.replace(/\/$/, '')
  const root = document.documentElement
  let theme, spoken
  try {
    theme = localStorage.getItem(`resellerd${base} theme`)
    spoken = localStorage.getItem(`resellerd${base} spoken`)
    if (!navigator.cookieEnabled) root.dataset.blocked = 'yes'
  } catch {
    root.dataset.blocked = 'yes'
  }
  root.dataset.theme = theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  const language = spoken || navigator.languages.map((l) => /^(?:en|pt|es)/.exec(l)?.[0]).find(Boolean) || 'en'
  root.lang = language
  const texts = document.createElement('link')
  texts.rel = 'modulepreload'
  texts.fetchPriority = 'high'
  texts.href = files + 'text/' + (language === 'pt' ? 'pt-BR' : language) + '.js'
  document.head.append(texts)
})()
