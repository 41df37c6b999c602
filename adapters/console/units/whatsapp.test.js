import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialled } from '../files/whatsapp.js'

test('a password is sent to a number whose country is certain', () => {
  for (const of of [['+55 (11) 98888-7777', 'PT'], ['0055 11 98888 7777', 'PT'], ['11 98888-7777', 'br'], ['011 98888-7777', 'BR'], ['5511988887777', 'BR']]) {
    assert.equal(dialled(...of), '5511988887777', of.join(' '))
  }
  for (const of of [['11 8888-7777', 'BR'], ['+55', 'BR'], ['+55<b>11988887777', 'BR'], ['+1234567890123456', 'BR'], [null, 'BR'], ['11 98888-7777', 'Brasil']]) {
    assert.equal(dialled(...of), '', of.join(' '))
  }
})
