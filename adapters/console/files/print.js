// What is printed alone: the operator, the account, the time, and what a screen adds.
import { html, render, useEffect, useRef } from './html.js'
import { brand } from './brand.js'
import { now } from './clock.js'
import { t } from './text.js'
import { dateTime } from './format.js'

/** On the screen it is not seen. @param {{ title: string, more?: () => any }} props more: what else is printed, at the moment of printing */
export function Printed({ title, more = () => null }) {
  const page = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    const show = () => {
      if (page.current) render(html`<strong>${title}</strong><p>${[brand, location.host, t('print.at', { at: dateTime(new Date(now())) })].filter(Boolean).join(' · ')}</p>${more()}`, page.current)
    }
    addEventListener('beforeprint', show)
    return () => removeEventListener('beforeprint', show)
  })
  return html`<div class="printed" ref=${page}></div>`
}
