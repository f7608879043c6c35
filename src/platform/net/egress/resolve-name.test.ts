import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openNameServer } from './fixtures/name-server.ts'
import { openResolver } from './resolve-name.ts'

const NAME = 'files.example.org'

test('both families are queried, once, and all their addresses returned', async (context) => {
  const { server, questions } = await openNameServer(context, (question) =>
    question.startsWith('A ')
      ? [
          { type: 'A', data: '192.0.2.1' },
          { type: 'A', data: '192.0.2.2' },
        ]
      : [{ type: 'AAAA', data: '2001:db8:0:0:0:0:0:1' }],
  )
  assert.deepEqual(await openResolver([server])(NAME), [
    { address: '192.0.2.1', family: 4 },
    { address: '192.0.2.2', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ])
  assert.deepEqual(questions.toSorted(), [`A ${NAME}`, `AAAA ${NAME}`])
})

test('one family is enough', async (context) => {
  const { server } = await openNameServer(context, (question) =>
    question.startsWith('A ') ? [] : [{ type: 'AAAA', data: '2001:db8:0:0:0:0:0:1' }],
  )
  assert.deepEqual(await openResolver([server])(NAME), [{ address: '2001:db8::1', family: 6 }])
})

test('a name without any address is an error with a code', async (context) => {
  const { server } = await openNameServer(context, () => [])
  await assert.rejects(openResolver([server])(NAME), { code: 'ENODATA' })
})

test('answers are not remembered: what a name led to before says nothing about now', async (context) => {
  const { server } = await openNameServer(context, (question, nth) =>
    question.startsWith('A ') ? [{ type: 'A', data: `192.0.2.${nth}` }] : [],
  )
  const resolve = openResolver([server])
  const addresses = [await resolve(NAME), await resolve(NAME), await resolve(NAME)].map(([first]) => first?.address)
  assert.deepEqual(addresses, ['192.0.2.0', '192.0.2.1', '192.0.2.2'])
})
