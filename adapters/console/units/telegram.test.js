import test from 'node:test'
import assert from 'node:assert/strict'
import { nameIn, toTelegram } from '../files/telegram.js'

test('a name is found in what users write', () => {
  for (const [written, want] of [
    ['@maria_tv', 'maria_tv'], ['maria_tv', 'maria_tv'], [' https://t.me/maria_tv/ ', 'maria_tv'], ['telegram.me/maria', 'maria'],
    ['Maria from the office', ''], ['+55 11 98765-4321', ''], ['@ab', ''], ['', ''], [null, ''],
  ]) assert.equal(nameIn(written), want, String(written))
})

test('a message goes to a name, or to whom Telegram is told', () => {
  assert.equal(toTelegram('maria_tv', 'a&b\né'), 'https://t.me/maria_tv?text=a%26b%0A%C3%A9')
  assert.equal(toTelegram('', 'a&b'), 'https://t.me/share/url?url=a%26b')
})
