// Names and numbers as keyboards write them: spaces behind a completed word, invisible marks, digits of other scripts.
import assert from 'node:assert/strict'
import { test } from 'node:test'

const { digits, nameOf, plain } = await import('../files/typed.js')
const { typedCredits } = await import('../files/format.js')
const { dialled } = await import('../files/whatsapp.js')
const { speak } = await import('../files/text.js')

test('a name has nothing around it', () => {
  for (const typed of ['maria ', ' maria', '\tmaria\u00a0', '\u200fmaria\u200e', '\u2066maria\u2069 ', 'maria\ufeff', 'maria']) assert.equal(nameOf(typed), 'maria', JSON.stringify(typed))
  assert.equal(nameOf('می\u200cخواهم'), 'می\u200cخواهم', 'what joins letters within a name stays')
})

test('digits of any script are read', () => {
  for (const typed of ['0123456789', '٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹', '०१२३४५६७८९', '০১২৩৪৫৬৭৮৯', '๐๑๒๓๔๕๖๗๘๙', '０１２３４５６７８９', '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗', '𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿']) assert.equal(digits(typed), '0123456789', typed)
  assert.equal(plain(' \u200f１９２．０．２．７\u200e '), '192.0.2.7')
})

test('amounts of any script are read by the signs of the language', async () => {
  for (const [language, rows] of Object.entries({
    en: { '١٢': '12', '۱۲٫۵': '12.5', '١٬٢٣٤٫٥': '1234.5', '１２．５': '12.5', '１，２３４': '1234', '\u200f٧\u200e': '7', '１２，５': undefined },
    'pt-BR': { '۱۲٫۵': '12.5', '١٬٢٣٤٫٥': '1234.5', '１２，５': '12.5', '１．２３４，５': '1234.5', '１２．５': undefined },
  })) {
    await speak(language)
    for (const [typed, want] of Object.entries(rows)) assert.equal(typedCredits(typed).amount || undefined, want, `${typed} in ${language}`)
  }
})

test('a number in other digits is dialled', () => {
  assert.equal(dialled('+٥٥ ١١ ٩١٢٣٤-٥٦٧٨', ''), '5511912345678')
  assert.equal(dialled('１１ ９１２３４-５６７８', 'BR'), '5511912345678')
})
