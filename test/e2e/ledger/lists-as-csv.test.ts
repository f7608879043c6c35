import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { completeFrom } from '../../../src/platform/store/ledger/expire-lines.ts'
import { ADMIN_ROUTES } from '../../../src/http/routes/admin-routes.ts'
import { insertUsage } from '../../../src/platform/store/ledger/usage.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { ledgerLine } from '../../fakes/ledger-line.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, firstOwner, invited } from '../../gateway/people-under-test.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

// What the console shows of whole lists: CSV of everything that passes the filter, series of usage, the overview.

const POLL_MS = 10
const LISTS = ADMIN_ROUTES.filter(({ replies }) => replies[200]?.texts?.includes('text/csv')).map(({ path }) => path)

for (const { name, skip, newStore } of await storeKinds())
  describe(`lists of the console, on ${name}`, { skip }, () => {
    let gateway: GatewayUnderTest
    let owner: Client
    let member: Client
    before(async () => {
      gateway = await startGateway({ newStore })
      owner = await firstOwner(gateway)
      await owner('POST', '/admin/projects', { id: 'research', name: '=1+1' })
      for (let at = 0; at < 3; at++) await owner('POST', '/admin/keys', { name: `key ${at}`, project: 'research' })
      await owner('POST', '/admin/aliases', { name: 'fast', targets: [{ model: 'sandbox/echo' }] })
      await owner('POST', '/admin/budgets', { id: 'all', applies_to: 'all', limit: 5, window: 'month' })
      member = await invited(owner, gateway, { email: 'm@example.com', role: 'member', project: 'research' })
    })
    after(() => gateway.close())

    test('every list has a CSV with a column for each member, and the download is in the audit log', async () => {
      for (const list of [
        'keys',
        'projects',
        'users',
        'budgets',
        'rate-limits',
        'aliases',
        'jobs',
        'deliveries',
        'alerts',
      ])
        assert.ok(LISTS.includes(`/admin/${list}`), list)
      for (const path of LISTS) {
        const { status, body, headers } = await owner('GET', `${path}?format=csv`)
        assert.equal(status, 200, `${path}: ${body}`)
        assert.match(headers.get('content-type')!, /^text\/csv/)
        assert.match(body.split('\r\n')[0], /^\w+(,\w+)+$/, path)
      }
      const { body: log } = await owner('GET', '/admin/audit?action=keys.export')
      assert.deepEqual([log.items.length, log.items[0].object], [1, 'keys'])
    })

    test('it has all entries, however long a page is, and nothing that a spreadsheet would run', async () => {
      const { body } = await owner('GET', '/admin/keys?format=csv&limit=1')
      assert.equal(body.trimEnd().split('\r\n').length, 1 + 3)
      const projects = (await owner('GET', '/admin/projects?format=csv')).body
      assert.match(projects, /,'=1\+1,/)
      assert.equal((await owner('GET', '/admin/keys?format=xml')).status, 422)
    })

    test('what is refused as JSON is refused as CSV, before the file begins', async () => {
      // The gateway notes at its start, in the background, up to where lines may be missing.
      while ((await completeFrom(gateway.gateway.services.calls.db)) === 0) await sleep(POLL_MS)
      const { status, body } = await member('GET', '/admin/usage?from=0&group_by=end_user&format=csv')
      assert.deepEqual([status, body.error?.param], [422, 'from'], JSON.stringify(body))
    })

    test('a filter applies, and everybody gets only what the list shows them', async () => {
      const services = (await owner('GET', '/admin/users?format=csv&kind=service')).body
      assert.equal(services.trimEnd().split('\r\n').length, 1)
      const own = (await member('GET', '/admin/keys?format=csv')).body
      assert.equal(own.trimEnd().split('\r\n').length, 1)
      assert.equal((await member('GET', '/admin/audit?format=csv')).status, 403)
    })

    test('the series of usage, with all others, sum up to the total of the report', async () => {
      const at = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 50 * HOUR_MS
      const models = ['a/one', 'a/two', 'a/three', 'a/four']
      const rows = Array.from({ length: 60 }, (_, index) => {
        const model = models[index % 4]!
        return ledgerLine({
          id: `line-${index}`,
          at: at + index * HOUR_MS * 0.8,
          model,
          provider: 'a',
          cost: (index % 4) + 0.1,
          keyId: 'key',
          ownerId: 'research',
          project: 'research',
          organization: 'default',
          promptTokens: index,
        })
      })
      await insertUsage(gateway.gateway.services.calls.db, rows)
      for (const query of ['metric=cost', 'metric=prompt_tokens&over=hour', 'metric=requests&project=research']) {
        const path = `group_by=model&top=2&${query}&from=${at - HOUR_MS}`
        const { status, body } = await owner('GET', `/admin/usage/series?${path}`)
        assert.equal(status, 200, JSON.stringify(body))
        assert.equal(body.series.length, 2)
        const sums = [...body.series.map(({ values }: { values: number[] }) => values), body.others].map((values) =>
          values.reduce((all: number, one: number) => all + one, 0),
        )
        const filter = query.includes('project') ? '&project=research' : ''
        const { total, items } = (await owner('GET', `/admin/usage?group_by=model&from=${at - HOUR_MS}${filter}`)).body
        const metric = body.metric as string
        assert.ok(Math.abs(sums.reduce((all, one) => all + one, 0) - total[metric]) < 1e-6, `${query}: ${sums}`)
        for (const { group, values } of body.series) {
          const own = items.find((item: { group: string }) => item.group === group)
          assert.ok(Math.abs(values.reduce((all: number, one: number) => all + one, 0) - own[metric]) < 1e-6, group)
        }
      }
      assert.equal((await owner('GET', '/admin/usage/series?group_by=day')).status, 422)
      assert.equal((await owner('GET', '/admin/usage/series?top=9')).status, 422)
    })

    test('the overview counts what has failed, and says which first steps of the role are done', async () => {
      const { status, body } = await owner('GET', '/admin/overview')
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body.failed_jobs, body.failed_webhooks, body.open_alerts], [0, 0, 0])
      const steps = { provider: false, key: true, call: true, budget: true, people: true, receiver: false }
      assert.deepEqual(stepsOf(body), steps)
      const { db } = gateway.gateway.services.calls
      const job = { model: 'text/moderation/sandbox', input: { text: 'Hello!' } }
      const { body: made } = await owner('POST', '/admin/playground/universal-ai/async?kind=sandbox', job)
      await db.query("UPDATE jobs SET state = 'fail' WHERE id = $1", [made.job_id])
      assert.equal((await owner('GET', '/admin/overview')).body.failed_jobs, 1)
      const other = (await member('GET', '/admin/overview')).body
      assert.deepEqual([other.circuits, stepsOf(other)], [null, { key: false, call: false }])
    })
  })

function stepsOf({ steps }: { steps: { step: string; done: boolean }[] }): Record<string, boolean> {
  return Object.fromEntries(steps.map(({ step, done }) => [step, done]))
}
