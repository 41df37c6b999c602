import test from 'node:test'
import assert from 'node:assert/strict'
import { asked, counted, filters, glanceOf, glances, orderOf, said, soon, sort, stateOf } from '../files/filters.js'

const now = Date.parse('2026-03-10T12:00:00Z'), me = 7
const of = (text) => new URLSearchParams(text)
const given = (query) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== ''))
const asks = (text) => given(asked(of(text), now, me))

test('what the API is asked for', () => {
  const before = '2026-02-24T12:00:00.000Z', at = '2026-03-10T12:00:00.000Z', week = '2026-03-17T12:00:00.000Z'
  for (const [text, want] of [
    ['', {}],
    ['when=constructor', {}],
    ['q=55+11&username=an', { q: '55 11', username: 'an' }],
    ['mine=1&owner=9', { owner: 7 }],
    ['owner=9&tree=8', { owner: '9', tree: '8' }],
    ['show=trials', { isTrial: '1' }],
    ['show=official', { isTrial: '0' }],
    ['show=constructor', {}],
    ['status=1', { effective: 'running' }],
    ['status=0', { effective: 'expired' }],
    ['status=owner_blocked', { effective: 'owner_blocked' }],
    ['status=none', {}],
    ['when=soon', { effective: 'running', expires_after: at, expires_before: week }],
    ['when=soon&days=3', { effective: 'running', expires_after: at, expires_before: '2026-03-13T12:00:00.000Z' }],
    ['when=past', { effective: 'expired', expires_after: before }],
    ['when=past&status=expired', { effective: 'expired', expires_after: before }],
    ['when=past&status=suspended', { effective: 'suspended', expires_after: before, expires_before: at }],
    ['when=soon&status=suspended', { effective: 'suspended', expires_after: at, expires_before: week }],
    ['sort=newest&do=extend&at=x', {}],
  ]) assert.deepEqual(asks(text), want, text)
})

test('within how many days', () => {
  for (const [days, want] of [['', 7], ['1', 1], ['14', 14], ['15', 7], ['0', 7], ['-1', 7], ['3x', 7]]) assert.equal(soon(of('days=' + days)), want, days)
})

test('the order, which is not asked for where the service has it by itself', () => {
  for (const [text, chosen, want] of [
    ['', 'newest', 'newest'],
    ['sort=expiry', 'expiry', 'expiry'],
    ['sort=username', 'username', 'username'],
    ['sort=newest', 'newest', 'newest'],
    ['sort=id', 'newest', 'newest'],
    ['sort=size', 'newest', 'newest'],
    ['q=ana', 'newest', 'newest'],
    ['show=trials', 'newest', 'newest'],
    ['sort=latest_expiry', 'latest_expiry', 'latest_expiry'],
    ['status=running', 'expiry', undefined],
    ['status=suspended', 'expiry', undefined],
    ['status=running&sort=latest_expiry', 'latest_expiry', 'latest_expiry'],
    ['status=expired', 'latest_expiry', 'latest_expiry'],
    ['status=0', 'latest_expiry', 'latest_expiry'],
    ['when=past', 'latest_expiry', 'latest_expiry'],
    ['when=past&status=suspended', 'latest_expiry', 'latest_expiry'],
    ['when=past&sort=expiry', 'expiry', undefined],
    ['when=soon', 'expiry', undefined],
    ['when=soon&sort=expiry', 'expiry', undefined],
    ['when=constructor&sort=constructor', 'newest', 'newest'],
    ['when=past&sort=newest', 'newest', 'newest'],
  ]) assert.deepEqual([orderOf(of(text)), sort(of(text), asked(of(text), now, me))], [chosen, want], text)
})

test('whose lines are counted', () => {
  for (const [text, below, want] of [
    ['', false, {}], ['', true, { tree: '7' }], ['mine=1', true, { account: '7' }], ['owner=9', true, { account: '9' }], ['tree=8', true, { tree: '8' }], ['tree=8', false, { tree: '8' }],
  ]) assert.deepEqual(given(counted(of(text), me, below)), want, text)
})

test('what applies, each by the name that it is removed by', () => {
  const says = (text) => said(of(text)).map(({ name, key, values = {} }) => [name, key, ...Object.values(values)].join(' '))
  assert.deepEqual(says(''), [])
  assert.deepEqual(says('sort=newest&days=3&show=x&when=x&status=x'), [])
  assert.deepEqual(says('tree=8&owner=9&mine=1&when=soon&days=3&show=trials&status=0&username=an&q=ana'), [
    'q filter.text ana', 'username filter.begins an', 'status filter.expired', 'show filter.trials', 'when filter.says-soon 3', 'mine filter.mine', 'owner reseller.by-id 9', 'tree reseller.by-id 8',
  ])
  for (const one of said(of('tree=8&owner=9&mine=1&when=past&show=trials&status=0&username=an&q=ana'))) assert.ok(filters.includes(one.name), one.name)
})

test('what is at a glance is what the summary counts', () => {
  const asksFor = (name) => asks(String(of(glances[name][1])))
  assert.deepEqual(asksFor('running'), { isTrial: '0', effective: 'running' })
  assert.deepEqual(asksFor('trials'), { isTrial: '1', effective: 'running' })
  assert.deepEqual(asksFor('soon'), { isTrial: '0', effective: 'running', expires_after: '2026-03-10T12:00:00.000Z', expires_before: '2026-03-17T12:00:00.000Z' })
  assert.deepEqual(asksFor('past'), { isTrial: '0', effective: 'expired', expires_after: '2026-02-24T12:00:00.000Z' })
  assert.equal(stateOf(of(glances.running[1])), 'running')
  for (const name of Object.keys(glances)) assert.equal(glanceOf(of({ ...glances[name][1], q: 'ana', mine: '1', sort: 'newest' })), name)
  for (const other of ['', 'when=soon', 'when=soon&show=official&days=3', 'when=soon&show=official&status=suspended', 'status=constructor']) assert.equal(glanceOf(of(other)), '', other)
})
