import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawing } from '../files/qr.js'

test('a code has a margin, and no text is too long for the largest', () => {
  const { side, path } = drawing('Ação 🙂 tia.rosa')
  assert.equal(side, 25 + 2 * 4)
  assert.ok(path.startsWith('M4 4h1v1h-1zM5 4h1v1h-1z'), path.slice(0, 60))
  assert.equal(drawing('x'.repeat(2953))?.side, 177 + 2 * 4)
  assert.equal(drawing('x'.repeat(2954)), null)
})
