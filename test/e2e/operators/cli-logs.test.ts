import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { logs } from '../../../src/cli/logs.ts'
import { runHere } from '../../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

const ENVIRONMENT = { GATEHOUSE_ADMIN_KEY: ADMIN_KEY }

describe('gatehouse logs', () => {
  let gateway: GatewayUnderTest
  before(async () => {
    gateway = await startGateway()
    await chat('one')
    await chat('two')
    await chat('three', 'sandbox/fail-500')
    await gateway.gateway.services.calls.ledger.flush()
  })
  after(() => gateway?.close())

  test('prints the latest calls in readable lines, the oldest first', async () => {
    const { code, stdout } = await run()
    assert.equal(code, 0)
    const lines = stdout.trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => /sandbox\/\S+ {2}\d+/.exec(line)?.[0]),
      ['sandbox/echo  200', 'sandbox/echo  200', 'sandbox/fail-500  502'],
    )
    assert.match(lines[0]!, /^\d{4}-\d\d-\d\dT[\d:.]+Z default .*sandbox\/echo.* 200 .* req_/)
    assert.match(lines[2]!, / 502 .*upstream/)
  })

  test('takes the filters of the request log, several at once', async () => {
    const { stdout } = await run('--filter', 'failed=true')
    assert.equal(stdout.trimEnd().split('\n').length, 1)
    const { stdout: none } = await run('--filter', 'failed=true', '--filter', 'end_user=one')
    assert.equal(none, '')
    const { stdout: last } = await run('--lines', '1', '--json')
    assert.equal(JSON.parse(last).end_user, 'three')
  })

  test('goes on with the calls that come, and prints none twice', async () => {
    const printed: string[] = []
    const print = (text: string) => {
      printed.push(text)
      // The first line was printed, so what comes now is new to the next look.
      if (printed.length === 1) coming = chat('four').then(() => gateway.gateway.services.calls.ledger.flush())
    }
    let coming: Promise<void> | undefined
    const terminal = { environment: ENVIRONMENT, print, remark: assert.fail }
    const values = { url: gateway.adminUrl, follow: true, lines: '1', json: true }
    const following = logs({ values, operands: [] } as never, terminal, 3)
    assert.equal(await following, 0)
    await coming
    assert.deepEqual(printed.map((line) => JSON.parse(line).end_user).slice(0, 2), ['three', 'four'])
    assert.equal(printed.length, 2)
  })

  const MISTAKES: [args: string[], says: RegExp][] = [
    [['--filter', 'project'], /NAME=VALUE/],
    [['--filter', 'projekt=x'], /refused.*projekt|Extra inputs/],
    [['--lines', '0'], /1 to 1000/],
    [['--lines', '1001'], /1 to 1000/],
    [['--url', 'http://127.0.0.1:1'], /cannot be reached: .* Start it, or name its admin listener with --url\./],
  ]
  for (const [args, says] of MISTAKES)
    test(`${args.join(' ')} ends with a sentence`, async () => {
      const { code, stdout, stderr } = await run(...args)
      assert.deepEqual([code === 0, stdout], [false, ''])
      assert.match(stderr, says)
    })

  test('without an admin key it says which one it needs, and a wrong one is refused', async () => {
    const absent = await runHere(['logs', '--url', gateway.adminUrl], {})
    assert.match(absent.stderr, /GATEHOUSE_ADMIN_KEY/)
    const wrong = await runHere(['logs', '--url', gateway.adminUrl], {
      GATEHOUSE_ADMIN_KEY: 'another-unknown-admin-key',
    })
    assert.notEqual(wrong.code, 0)
    assert.match(wrong.stderr, /refused/)
    assert.ok(!wrong.stderr.includes('another-unknown-admin-key'))
  })

  function run(...args: string[]) {
    const url = args.includes('--url') ? [] : ['--url', gateway.adminUrl]
    return runHere(['logs', ...url, ...args], ENVIRONMENT)
  }

  async function chat(user: string, model = 'sandbox/echo'): Promise<void> {
    const response = await fetch(`${gateway.url}/v3/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${API_KEY}`,
        'content-type': 'application/json',
        'x-gatehouse-tags': `who=${user}`,
      },
      body: JSON.stringify({ model, user, messages: [{ role: 'user', content: 'x' }] }),
    })
    await response.text()
  }
})
