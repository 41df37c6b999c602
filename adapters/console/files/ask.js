// "Ask for credits": a message to the account above.
import { dialled, toWhatsApp } from './whatsapp.js'
import { nameIn, toTelegram } from './telegram.js'

/**
 * Where a message is written to somebody: WhatsApp, where its number is certain, else Telegram. Where neither is known WhatsApp
 * asks to whom it goes.
 * @param {{ whatsapp?: string | null, telegram?: string | null }} contact @param {string} text
 */
export function addressOf({ whatsapp, telegram }, text) {
  const number = dialled(whatsapp || null, ''), name = number ? '' : nameIn(telegram || null)
  return name ? toTelegram(name, text) : toWhatsApp(number, text)
}
