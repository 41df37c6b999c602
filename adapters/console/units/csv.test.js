import test from 'node:test'
import assert from 'node:assert/strict'
import { csv } from '../files/csv.js'
import { language } from '../files/text.js'

const read = (by, rows) => {
  language.set(by)
  return csv(rows)
}

test('rows end as RFC 4180 has it, and nothing is between none', () => {
  assert.equal(read('en', []), '')
  assert.equal(read('en', [['a', 1], [null, undefined, '']]), 'a,1\r\n,,\r\n')
})

test('what stands between cells is what spreadsheets of the language read', () => {
  assert.equal(read('en', [['a;b', 'a,b']]), '"a;b","a,b"\r\n')
  for (const by of ['pt-BR', 'es']) assert.equal(read(by, [['a;b', 'a,b']]), '"a;b";a,b\r\n', by)
})

test('quotes and line ends', () => {
  assert.equal(read('en', [['say "a"', 'a\nb', 'a\rb']]), '"say ""a""","a\nb","a\rb"\r\n')
})

test('no cell becomes a formula, and numbers stay numbers', () => {
  for (const [cell, want] of [
    ['=1+1', "'=1+1"], ['@cmd', "'@cmd"], ['+55 11', "'+55 11"], ['-a', "'-a"], ['\tx', "\"'\tx\""], ['-1.5', '-1.5'], ['-1', '-1'], ['--1', "'--1"], ['-1+1', "'-1+1"], ['a=1', 'a=1'],
  ]) assert.equal(read('en', [[cell]]), want + '\r\n', cell)
  assert.equal(read('pt-BR', [['-1,5', '-1.5']]), '-1,5;-1.5\r\n')
})
