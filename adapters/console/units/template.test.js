import test from 'node:test'
import assert from 'node:assert/strict'
import { daysLeft, expand, likely, needsPassword } from '../files/template.js'

const values = { username: 'ana', password: 'x{days}', expires: 'today', days: 0, server: '', apps: 'Android: A\niPhone: B' }

test('placeholders get their values, and nothing else changes', () => {
  for (const [template, want] of [
    ['User: {username}\nPassword: {password}', 'User: ana\nPassword: x{days}'],
    ['{username} {username} {name} {} {USERNAME}', 'ana ana {name} {} {USERNAME}'],
    ['{days} days until {expires}', '0 days until today'],
    ['Server: {server}\nUser: {username}', 'User: ana'], // a row without a value is left out
    ['Hello\n\nServer: {server}\n\nBye', 'Hello\n\nBye'],
    ['{apps}', 'Android: A\niPhone: B'],
    ['{server}', ''],
    ['a\n\n\n\nb', 'a\n\nb'],
    ['costs $1 and $& more', 'costs $1 and $& more'],
    ['', ''],
  ]) assert.equal(expand(template, values), want)
  assert.equal(expand('{username}\n{password}\n{expires}', { username: 'ana', password: null }), 'ana')
})

test('whether a password is needed', () => {
  assert.equal(needsPassword('Password: {password}'), true)
  assert.equal(needsPassword('Password: {Password}'), false)
})

test('days that are left, and the message that fits', () => {
  const now = Date.parse('2026-03-10T12:00:00Z')
  for (const [at, isTrial, days, kind] of /** @type {[string, number, number, string][]} */ ([
    ['2026-03-10T13:00:00Z', 0, 1, 'reminder'],
    ['2026-03-10T16:00:00Z', 1, 1, 'access'],
    ['2026-03-17T12:00:00Z', 0, 7, 'reminder'],
    ['2026-03-17T12:00:01Z', 0, 8, 'access'],
    ['2026-03-10T12:00:00Z', 0, 0, 'expired'],
    ['2026-03-01T12:00:00Z', 1, 0, 'expired'],
  ])) {
    assert.equal(daysLeft(at, now), days, at)
    assert.equal(likely({ expDate: at, isTrial }, now), kind, at)
  }
})
