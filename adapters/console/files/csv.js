// Files for a spreadsheet (RFC 4180), of which no cell can become a formula there.

/** A cell. Texts that a spreadsheet would take for a formula begin with an apostrophe; numbers stay as they are. @param {any} value */
function cell(value) {
  let text = value === null || value === undefined ? '' : String(value)
  if (/^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text)) text = "'" + text
  return /[",;\r\n\t]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text
}

/** @param {any[][]} rows the first one names the columns */
export const csv = (rows) => rows.map((row) => row.map(cell).join(',') + '\r\n').join('')

/** Saves a text as a file; its mark at the beginning tells a spreadsheet that it is UTF-8. @param {string} name @param {string} text */
export function download(name, text) {
  const address = URL.createObjectURL(new Blob(['\uFEFF' + text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name.replace(/[\\/:*?"<>|\u0000-\u001f]/g, '_')
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
