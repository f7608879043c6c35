import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTags } from './tags-header.ts'

test('the header names tags', () => {
  assert.equal(readTags(undefined), null)
  assert.deepEqual(readTags('team=search, env=prod,note= a=b '), { team: 'search', env: 'prod', note: 'a=b' })
  assert.equal(Object.keys(readTags('__proto__=x')!)[0], '__proto__')
})

const REFUSED = {
  'no pair': 'search',
  'no name': '=search',
  'no value': 'team=',
  nothing: '',
  'a comma too many': 'team=search,',
  'an odd name': 'te am=x',
  'too many tags': Array.from({ length: 17 }, (_, index) => `t${index}=x`).join(),
  'a name that is too long': `${'n'.repeat(65)}=x`,
  'a value that is too long': `n=${'x'.repeat(257)}`,
  'bytes that are not ASCII': 'team=é',
}
for (const [what, header] of Object.entries(REFUSED))
  test(`a header with ${what} is refused`, () => {
    assert.throws(() => readTags(header), { code: 'validation_error', status: 422 })
  })
