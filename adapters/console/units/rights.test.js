import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canManage } from '../files/rights.js'

test('nobody manages an admin, or themselves', () => {
  const others = [{ id: 99, is_admin: 0 }, { id: 99, is_admin: 1 }, { id: 7, is_admin: 0 }]
  for (const [self, want] of [
    [{ id: 7, is_master: 0, is_admin: 1 }, [true, false, false]],
    [{ id: 7, is_master: 1, is_admin: 0 }, [true, false, false]],
    [{ id: 7, is_master: 0, is_admin: 0 }, [false, false, false]],
  ]) assert.deepEqual(others.map((other) => canManage(self, other)), want)
})
