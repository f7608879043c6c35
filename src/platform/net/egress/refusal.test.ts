import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'
import { Problem } from '../../../contract/problems.ts'
import { egressUnderTest, get, NAME } from './fixtures/egress-under-test.ts'
import { GOOD, openRaw } from './fixtures/servers.ts'
import { EgressFailed, EgressRefused } from './refusal.ts'

const SENTENCE = 'This address cannot be reached from here.'
const BANNER = 'SSH-2.0-OpenSSH_9.6'

test('refused, unknown, closed, silent and strange addresses read the same, and say nothing of the address', async (context) => {
  const open = await openRaw(context, (socket) => socket.end(`${BANNER}\r\n`))
  const silent = await openRaw(context, () => {})
  const unknown = async () =>
    Promise.reject(Object.assign(new Error(`queryA ENOTFOUND ${NAME}`), { code: 'ENOTFOUND' }))
  const egress = egressUnderTest(context, { limits: { connectMs: 50 } })
  const nameless = egressUnderTest(context, { resolve: unknown })
  const inside = egressUnderTest(context, { resolve: async () => [{ address: '10.11.12.13', family: 4 }] })
  const attempts = [
    egress.fetch(get('https://169.254.169.254/')),
    egress.fetch(get('https://secret.internal/')),
    egress.fetch(get(`ftp://${NAME}/`)),
    egress.fetch(get(`http://${NAME}:22/`)),
    inside.fetch(get(`https://${NAME}/`)),
    nameless.fetch(get(`https://${NAME}/`)),
    egress.fetch(get(`http://${NAME}:9/`)),
    egress.fetch(get(`http://${NAME}:1024/`)),
    egress.fetch(get(`http://${NAME}:${open.port}/`)),
    egress.fetch(get(`https://${NAME}:${open.port}/`)),
    egress.fetch(get(`https://${NAME}:${silent.port}/`)),
    egress.fetch(get(`http://${NAME}:${silent.port}/`, { timeoutMs: 50 })),
  ]
  for (const attempt of await Promise.allSettled(attempts)) {
    const error: unknown = attempt.status === 'rejected' ? attempt.reason : undefined
    assert.ok(error instanceof EgressRefused || error instanceof EgressFailed, inspect(error))
    assert.equal(error.message, SENTENCE)
    for (const secret of [
      NAME,
      GOOD,
      '169.254',
      '10.11',
      'secret',
      'internal',
      BANNER,
      `${open.port}`,
      `${silent.port}`,
    ])
      assert.ok(!withoutStack(error).includes(secret), `${secret} in ${withoutStack(error)}`)
    assert.deepEqual(
      Object.keys(JSON.parse(JSON.stringify(error))).filter((key) => key === 'cause'),
      [],
    )
  }
})

test('a caller that submits a refused URL gets the same answer, whatever is wrong with it', (context) => {
  const egress = egressUnderTest(context, { allow: [] })
  const urls = [
    '',
    'nonsense',
    'ftp://example.org',
    'http://example.org',
    'https://a:b@example.org',
    'https://127.0.0.1',
  ]
  for (const url of [
    ...urls,
    'https://localhost',
    'https://example.org:22',
    `https://example.org/${'x'.repeat(3_000)}`,
  ]) {
    const problem = caught(() => egress.check(url, ['body', 'webhook_receiver']))
    assert.ok(problem instanceof Problem)
    const { status, code, message, details } = problem
    const detail = [{ loc: ['body', 'webhook_receiver'], msg: SENTENCE, type: 'value_error' }]
    assert.deepEqual({ status, code, message }, { status: 422, code: 'validation_error', message: SENTENCE })
    assert.deepEqual([details.param, details.detail], ['webhook_receiver', detail])
  }
  assert.equal(egress.check('https://example.org./x', ['body', 'url']).href, 'https://example.org/x')
})

test('the same address gets the same verdict when it is handed in and when it is fetched', async (context) => {
  const egress = egressUnderTest(context)
  for (const url of [
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://x.local/',
    'http://1.1.1.1/',
    'https://example.org:25/',
  ]) {
    assert.ok(caught(() => egress.check(url, ['body', 'file'])) instanceof Problem, url)
    await assert.rejects(egress.fetch(get(url)), EgressRefused, url)
  }
  const rules = { requireHttps: true }
  assert.ok(caught(() => egress.check(`http://${GOOD}:8080/`, ['body', 'file'], rules)) instanceof Problem)
  await assert.rejects(egress.fetch(get(`http://${GOOD}:8080/`, rules)), EgressRefused)
})

test('a name is judged when it is handed in, as it would be when it is fetched', async (context) => {
  const answers: Record<string, string[]> = { 'in.example.org': ['10.0.0.1'], 'out.example.org': ['93.184.215.14'] }
  const resolve = async (name: string) => {
    if (answers[name]) return answers[name].map((address) => ({ address, family: 4 }))
    throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
  }
  const egress = egressUnderTest(context, { resolve })
  await egress.resolve(new URL('https://out.example.org/'))
  await assert.rejects(egress.resolve(new URL('http://out.example.org/')), EgressRefused)
  await assert.rejects(egress.resolve(new URL('https://in.example.org/')), EgressRefused)
  await assert.rejects(egress.resolve(new URL('https://none.example.org/')), EgressFailed)
  egress.close()
  await assert.rejects(egress.resolve(new URL('https://out.example.org/')), EgressFailed)
})

function withoutStack(error: Error): string {
  return inspect({ ...error, name: error.name, message: error.message, cause: error.cause, text: String(error) })
}

function caught(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
}
