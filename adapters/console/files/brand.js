// What the operator calls the console, and its logo: they are in the page (brand.go).

export const brand = document.querySelector('meta[name=application-name]')?.getAttribute('content') || ''

const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel=icon]'))?.href || ''

/** The address of the operator's own logo, '' without one. */
export const logo = icon.includes('/logo.') ? icon : ''
