// Where a message is written by Telegram, by its documented links (core.telegram.org/api/links).

/** The name in what users write there: @name, name, or its address; '' if there is none. @param {string | null} written */
export const nameIn = (written) => /^(?:@|(?:https?:\/\/)?(?:t\.me|telegram\.me)\/)?([a-z]\w{3,31})\/?$/i.exec((written || '').trim())?.[1] || ''

/**
 * To who has a name the message is a draft; without one Telegram asks to whom, and takes the text in place of the address that
 * it would share.
 * @param {string} name @param {string} text
 */
export const toTelegram = (name, text) => (name ? `https://t.me/${name}?text=` : 'https://t.me/share/url?url=') + encodeURIComponent(text)
