// QR codes (ISO/IEC 18004) of texts: their bytes in UTF-8, at level L of error correction, in versions 1 to 40. A file of its own,
// which is read when a code is asked for.

/** Codewords for error correction in each block, and the number of blocks, by version less 1. */
const repairs = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30]
const blocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25]

/** How many codewords a version has. @param {number} version */
function roomOf(version) {
  let modules = (16 * version + 128) * version + 64
  if (version > 1) {
    const n = Math.floor(version / 7) + 2 // alignment patterns in a row
    modules -= (25 * n - 10) * n - 55
  }
  return (modules - (version > 6 ? 36 : 0)) >> 3
}

/** The product of two elements of the field of 256. @param {number} a @param {number} b */
function product(a, b) {
  let p = 0
  for (let bit = 7; bit >= 0; bit--) p = (p << 1) ^ ((p >> 7) * 0x11d) ^ (((b >> bit) & 1) * a)
  return p
}

/** The codewords that repair others. @param {number[]} data @param {number} degree how many */
export function repair(data, degree) {
  const divisor = Array(degree).fill(0)
  divisor[degree - 1] = 1
  for (let root = 1, i = 0; i < degree; i++, root = product(root, 2)) {
    for (let j = 0; j < degree; j++) divisor[j] = product(divisor[j], root) ^ (divisor[j + 1] ?? 0)
  }
  const rest = Array(degree).fill(0)
  for (const one of data) {
    const factor = one ^ rest.shift()
    rest.push(0)
    divisor.forEach((by, i) => { rest[i] ^= product(by, factor) })
  }
  return rest
}

/** A number in binary. @param {number} n @param {number} digits */
const binary = (n, digits) => n.toString(2).padStart(digits, '0')

/** All codewords of a version in their order. @param {Uint8Array} bytes @param {number} version */
function codewords(bytes, version) {
  const all = roomOf(version), count = blocks[version - 1], degree = repairs[version - 1], room = all - degree * count
  const bits = '0100' + binary(bytes.length, version < 10 ? 8 : 16) + [...bytes].map((byte) => binary(byte, 8)).join('') + '0000'
  const data = (bits.match(/.{8}/g) || []).map((byte) => parseInt(byte, 2))
  for (let pad = 236; data.length < room; pad ^= 236 ^ 17) data.push(pad)
  const short = Math.floor(all / count) - degree, longer = all % count
  let from = 0
  const parts = Array.from({ length: count }, (_, i) => data.slice(from, from += short + (i < count - longer ? 0 : 1)))
  const woven = (/** @type {number[][]} */ of) => Array.from({ length: short + 1 + degree }, (_, i) => of.flatMap((part) => part[i] ?? [])).flat()
  return [...woven(parts), ...woven(parts.map((part) => repair(part, degree)))]
}

/** @type {((x: number, y: number) => number)[]} */
const masks = [
  (x, y) => (x + y) % 2, (_, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3), (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
]

/** The check bits behind some bits. @param {number} bits @param {number} divisor @param {number} degree */
function checked(bits, divisor, degree) {
  let rest = bits
  for (let i = 0; i < degree; i++) rest = (rest << 1) ^ ((rest >> (degree - 1)) * divisor)
  return (bits << degree) | rest
}

/** How hard a code is to read. @param {number[][]} rows */
function penalty(rows) {
  const side = rows.length, lines = [...rows, ...rows.map((_, x) => rows.map((row) => row[x]))].map((line) => line.join(''))
  const dark = rows.flat().reduce((sum, one) => sum + one, 0)
  let sum = 10 * Math.floor(Math.abs((20 * dark) / side ** 2 - 10))
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2
    sum += 40 * [...`0000${line}0000`.matchAll(/(?=00001011101|10111010000)/g)].length
  }
  for (let y = 1; y < side; y++) {
    for (let x = 1; x < side; x++) if ([rows[y - 1][x - 1], rows[y - 1][x], rows[y][x - 1]].every((one) => one === rows[y][x])) sum += 3
  }
  return sum
}

/** The modules of a version that are the same in each code, and those of its codewords as they are before a mask. @param {Uint8Array} bytes @param {number} version */
function drawn(bytes, version) {
  const side = 4 * version + 17
  const rows = Array.from({ length: side }, () => /** @type {number[]} */ (Array(side).fill(0))), fixed = rows.map((row) => row.map(() => false))
  const set = (/** @type {number} */ x, /** @type {number} */ y, /** @type {any} */ dark) => {
    if (!rows[y] || x < 0 || x >= side) return
    rows[y][x] = Number(dark)
    fixed[y][x] = true
  }
  const square = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ reach, /** @type {number[]} */ light) => {
    for (let dy = -reach; dy <= reach; dy++) for (let dx = -reach; dx <= reach; dx++) set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))))
  }
  for (let i = 0; i < side; i++) {
    set(6, i, i % 2 === 0)
    set(i, 6, i % 2 === 0)
  }
  for (const [x, y] of [[3, 3], [side - 4, 3], [3, side - 4]]) square(x, y, 4, [2, 4])
  const n = version > 1 ? Math.floor(version / 7) + 2 : 0, step = 2 * Math.floor((8 * version + 3 * n + 5) / (4 * n - 4))
  const at = Array.from({ length: n }, (_, i) => (i ? side - 7 - (n - 1 - i) * step : 6))
  at.forEach((y, i) => at.forEach((x, j) => { if (!(i + j === 0 || i + j === n - 1 && (i === 0 || j === 0))) square(x, y, 2, [1]) }))
  if (version > 6) {
    const bits = checked(version, 0x1f25, 12)
    for (let i = 0; i < 18; i++) {
      const far = side - 11 + (i % 3), near = Math.floor(i / 3)
      set(far, near, (bits >> i) & 1)
      set(near, far, (bits >> i) & 1)
    }
  }
  /** @param {number} mask */
  const format = (mask) => {
    const bits = checked(8 | mask, 0x537, 10) ^ 0x5412
    for (let i = 0; i < 15; i++) {
      const bit = (bits >> i) & 1
      set(8, i < 6 ? i : i < 8 ? i + 1 : side - 15 + i, bit)
      set(i < 8 ? side - 1 - i : i < 9 ? 7 : 14 - i, 8, bit)
    }
    set(8, side - 8, 1)
  }
  format(0)
  const bits = codewords(bytes, version).map((one) => binary(one, 8)).join('')
  for (let right = side - 1, i = 0; right > 0; right -= right === 8 ? 3 : 2) {
    for (let down = 0; down < side; down++) {
      for (const x of [right, right - 1]) {
        const y = (right + 1) & 2 ? down : side - 1 - down
        if (!fixed[y][x]) rows[y][x] = Number(bits[i++] || 0)
      }
    }
  }
  return { rows, fixed, format }
}

/**
 * The modules of a code, by row, 1 for a dark one; null for a text that is too long.
 * @param {string} text @param {number} [only] the mask, in place of the best one
 */
export function modules(text, only) {
  const bytes = new TextEncoder().encode(text)
  const version = repairs.findIndex((degree, i) => bytes.length + (i < 9 ? 2 : 3) <= roomOf(i + 1) - degree * blocks[i]) + 1
  if (!version) return null
  const { rows, fixed, format } = drawn(bytes, version)
  const tried = (only === undefined ? [...masks.keys()] : [only]).map((mask) => {
    format(mask)
    const of = rows.map((row, y) => row.map((dark, x) => (fixed[y][x] ? dark : dark ^ Number(masks[mask](x, y) === 0))))
    return { of, penalty: penalty(of) }
  })
  return tried.reduce((best, one) => (one.penalty < best.penalty ? one : best)).of
}

/** The dark modules of rows as the path of an SVG, within four light ones on each side. @param {number[][]} rows */
export const pathOf = (rows) => rows.map((row, y) => [...row.join('').matchAll(/1+/g)].map((run) => `M${run.index + 4} ${y + 4}h${run[0].length}v1H${run.index + 4}z`).join('')).join('')
