// The head of a printed page: the account, the address and the time.
import { html, useEffect, useRef } from './html.js'
import { now } from './clock.js'
import { t } from './text.js'
import { dateTime } from './format.js'

/** On the screen it is not seen. @param {{ title: string, more?: () => any[] }} props more: what else is said, at the moment of printing */
export function Printed({ title, more = () => [] }) {
  const said = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    const say = () => { if (said.current) said.current.textContent = [location.host, t('print.at', { at: dateTime(new Date(now())) }), ...more()].filter(Boolean).join(' · ') }
    addEventListener('beforeprint', say)
    return () => removeEventListener('beforeprint', say)
  })
  return html`<div class="printed"><strong>${title}</strong><p ref=${said}></p></div>`
}
