// Files for a spreadsheet (RFC 4180), of which no cell can become a formula there. Where decimals have a comma,
// semicolons separate cells, as in spreadsheets of that language.
import { signs } from './format.js'

/** A cell. Texts that a spreadsheet would take for a formula begin with an apostrophe; numbers do not. @param {any} value */
function cell(value) {
  let text = value === null || value === undefined ? '' : String(value)
  if (/^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) && !/^-?\d+([.,]\d+)?$/.test(text)) text = "'" + text
  return (between() === ';' ? /[";\r\n\t]/ : /[",;\r\n\t]/).test(text) ? '"' + text.replaceAll('"', '""') + '"' : text
}

/** The separator of cells. */
const between = () => (signs().point === ',' ? ';' : ',')

/** @param {any[][]} rows */
export const csv = (rows) => rows.map((row) => row.map(cell).join(between()) + '\r\n').join('')

/** Saves parts as a file; its byte order mark shows a spreadsheet that it is UTF-8. @param {string} name @param {Blob[]} parts */
export function download(name, parts) {
  const address = URL.createObjectURL(new Blob(['\uFEFF', ...parts], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name.replace(/[\\/:*?"<>|\u0000-\u001f]/g, '_')
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
