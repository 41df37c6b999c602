// QR codes, compared with those of another encoder (rsc.io/qr), whose modules are the same for the same mask.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { modules, pathOf, repair } from '../files/qr.js'

/** The begin of the hash of a code, row by row. */
const hash = (rows) => createHash('sha256').update(rows.map((row) => row.join('') + '\n').join('')).digest('hex').slice(0, 16)

/** A text of so many bytes. */
const text = (bytes) => 'Ação: tia.rosa 5566\n'.repeat(bytes / 22).padEnd(bytes - 2 * Math.floor(bytes / 22), 'x')

test('codewords for repair are those of the standard', () => {
  const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17]
  assert.deepEqual(repair(data, 10), [196, 35, 39, 119, 235, 215, 231, 226, 93, 23])
})

test('each version is drawn', () => {
  for (const [bytes, side, want] of /** @type {[number, number, string][]} */ ([
    [5, 21, '74b4bfae2fe20c97'], [17, 21, '6dc47918030f2c4b'], [18, 25, '4ed31e2598384d27'], [53, 29, 'c1af32e770795573'],
    [106, 37, 'e2394164b13e4de5'], [134, 41, 'dd36b2f18b8c7c54'], [154, 45, 'df559c10a3e3e393'], [230, 53, '3eb76050cc2ccf25'],
    [231, 57, '3ed7dbfb91b1800c'], [271, 57, 'f90bd8d954a08fdf'], [500, 77, 'ef23ef2fadd212e1'], [858, 97, '8d64f0420f7b0c42'],
    [1000, 105, 'f22098f2b3c5fb72'], [1500, 129, 'b812c22ab12c60ec'], [1990, 149, '1fae17d366770372'], [2500, 165, 'd97af4ca6e6d9e56'],
    [2953, 177, '5aa0bfa51c04781e'],
  ])) {
    const rows = modules(text(bytes), 0)
    assert.deepEqual([rows?.length, hash(rows)], [side, want], `${bytes} bytes`)
  }
  assert.equal(modules('x'.repeat(2954)), null)
})

test('each mask is drawn, and the best one is taken', () => {
  const wanted = [
    '0f7366b8840d28fb', 'df49b2078f125620', '9cb679b68519a87d', '83af37f7276c2344',
    '7e31ee5018eeb47d', 'b608384e9890419e', 'a4fac09ebbb49483', 'e5043e996b0dbf65',
  ]
  assert.deepEqual(wanted.map((_, mask) => hash(modules('x'.repeat(154), mask))), wanted)
  assert.ok(wanted.includes(hash(modules('x'.repeat(154)))))
})

test('a path has each dark module, within four light ones', () => {
  assert.equal(pathOf([[1, 0, 1, 1], [0, 1, 0, 0]]), 'M4 4h1v1H4zM6 4h2v1H6zM5 5h1v1H5z')
})
