// Typed texts, normalized: keyboards add invisible spaces and marks, and have digits of other scripts.

/** A name without invisible characters around it. @param {string} typed */
export const nameOf = (typed) => typed.replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '')

/** A text with our digits in place of those of any script. The ten of a script follow each other. @param {string} typed */
export const digits = (typed) => typed.replace(/\p{Nd}/gu, (one) => {
  let n = 0
  while (/\p{Nd}/u.test(String.fromCodePoint((one.codePointAt(0) || 0) - n - 1))) n++
  return String(n % 10)
})

/** What has numbers in it, such as an amount, a code or an address, without full width and invisible marks. @param {string} typed */
export const plain = (typed) => digits(typed.normalize('NFKC').replace(/\p{Cf}/gu, '')).trim()
