// A text as a QR code, which is drawn here: what it says goes nowhere.
import { html, useEffect, useState } from './html.js'
import { Problem } from './api.js'
import { t } from './text.js'
import { Panel } from './panel.js'
import { Failure } from './ui.js'

/** @param {{ text: string, onClose: () => void }} props */
export function Code({ text, onClose }) {
  const [drawn, draw] = useState(/** @type {any} */ ({ side: 1, path: '' }))
  const read = () => {
    import('./qr.js').then(({ drawing }) => draw(drawing(text)), () => draw(new Problem('no-answer')))
  }
  useEffect(read, [])
  return html`<${Panel} look="dialog" title=${t('line.qr')} onClose=${onClose}>
    ${drawn instanceof Problem ? html`<${Failure} problem=${drawn} retry=${read} />`
      : drawn ? html`<svg class="qr" viewBox="0 0 ${drawn.side} ${drawn.side}" role="img" aria-label=${t('line.qr')}><path d=${drawn.path} /></svg><p class="quiet">${t('line.qr-meaning')}</p>`
      : html`<p>${t('line.qr-long')}</p>`}
  <//>`
}
