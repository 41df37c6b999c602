// Shows the interface's own document. Its search would need a worker made of text, which the page's policy forbids; all
// is on one page, where the browser's own search finds it.
Redoc.init(
  new URL('openapi.json', document.baseURI).href,
  {
    disableSearch: true,
    expandResponses: '200,201',
    nativeScrollbars: true,
    requiredPropsFirst: true,
    theme: { typography: { fontFamily: 'system-ui, sans-serif', headings: { fontFamily: 'system-ui, sans-serif' } } },
  },
  document.getElementById('redoc'),
)
