// Amounts and times in each language, far from Greenwich.
import assert from 'node:assert/strict'
import { test } from 'node:test'

process.env.TZ = 'Asia/Kolkata' // before anything asks for a time

const { credits, dateTime, left, typedCredits } = await import('../files/format.js')
const { now } = await import('../files/clock.js')
const { speak } = await import('../files/text.js')

/** The reading of a typed text: an amount, a possible amount, or the fault. */
function typed(text) {
  const { amount, perhaps, wrong } = typedCredits(text)
  return amount || (perhaps ? 'perhaps ' + perhaps : wrong || '')
}

/** @type {Record<string, Record<string, string>>} */
const amounts = {
  en: {
    '': '', 7: '7', '007': '7', '1,000': '1000', '1000.5': '1000.5', '1,234,567.8901': '1234567.8901', '.5': '0.5', '5.': '5', '1 000.25': '1000.25', ' 12 ': '12',
    '1,5': 'perhaps 1.5', '1,00': 'perhaps 1', '0,500': 'perhaps 0.5', '1.000,50': 'perhaps 1000.5', '1.000.000': 'perhaps 1000000', '1,0000': 'perhaps 1',
  },
  'pt-BR': {
    '1.000': '1000', 1000: '1000', '1.000,50': '1000.5', '1,5': '1.5', '1,50000': '1.5', ',5': '0.5', '12.345.678,9': '12345678.9',
    '1.5': 'perhaps 1.5', '1.00': 'perhaps 1', '0.500': 'perhaps 0.5', '1,000.50': 'perhaps 1000.5', '10.5': 'perhaps 10.5',
  },
  es: {
    '1.000': '1000', '1000,5': '1000.5', '1,5': '1.5', '1.5': 'perhaps 1.5', '1,000.50': 'perhaps 1000.5', '-1': 'amount.none', '1e3': 'amount.none',
    '1.2.3': 'amount.none', x: 'amount.none', '1,2,3': 'amount.none', '.': 'amount.none', '1,23456': 'field.too-many-decimal-places', 1234567890123: 'field.too-large',
  },
}

for (const [language, rows] of Object.entries(amounts)) {
  test(`credits are typed in ${language}`, async () => {
    await speak(language)
    for (const [text, want] of Object.entries(rows)) assert.equal(typed(text), want, `what is typed as "${text}"`)
    for (const amount of ['1234567.25', '0.0001', '1000']) assert.equal(typed(credits(amount)), amount, 'what is written can be typed')
  })
}

test('credits are written', async () => {
  for (const [language, want] of [['en', '1,234.5'], ['pt-BR', '1.234,5'], ['es', '1.234,5']]) {
    await speak(language)
    assert.equal(credits('1234.5'), want)
  }
})

test('what is left of a time is never less than is said', async () => {
  await speak('en')
  const said = (hours, more) => left(new Date(now() + hours * 3600_000 + more))
  assert.deepEqual([36, 47, 49, 71.9, -36, -50].map((h) => said(h, 1000)), ['in 36 hours', 'in 47 hours', 'in 2 days', 'in 2 days', '36 hours ago', '2 days ago'])
  assert.deepEqual([30 * 24, 1, 0.5].map((h) => said(h, -1000)), ['in 30 days', 'in 1 hour', 'in 29 minutes'])
})

test('a time is that of the zone', async () => {
  await speak('pt-BR')
  assert.equal(dateTime('2030-01-31T20:00:00.000Z'), '1 de fev. de 2030, 01:30')
})

