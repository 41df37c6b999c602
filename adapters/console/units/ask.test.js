import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf } from '../files/ask.js'

test('a message goes to a certain number, else by Telegram, else to whom WhatsApp is told', () => {
  for (const [contact, want] of /** @type {[any, string][]} */ ([
    [{ whatsapp: '+55 11 98888-7777', telegram: '@maria_tv' }, 'https://wa.me/5511988887777'],
    [{ whatsapp: '912 345 678', telegram: '@maria_tv' }, 'https://t.me/maria_tv'],
    [{ whatsapp: null, telegram: 'https://t.me/maria_tv' }, 'https://t.me/maria_tv'],
    [{ whatsapp: null, telegram: 'Maria from the office' }, 'https://wa.me/'],
    [{ whatsapp: null, telegram: null }, 'https://wa.me/'],
    [{}, 'https://wa.me/'],
  ])) assert.equal(addressOf(contact, 'a&b é'), want + '?text=a%26b%20%C3%A9')
})
