import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { storeKinds } from '../../fakes/stores.ts'
import { someOf } from '../../soak/sample.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Client, firstOwner, invited, operator } from '../../gateway/people-under-test.ts'

// No query makes the admin listener answer with 500: not one that is repeated, huge, or no text that a store can hold.

const ODD_VALUES = ['%00', '%ED%A0%80', '999999999999999']
const ODD_PATHS = ['x', '%00', '%ED%A0%80']

// Under `npm test`, one asker tries one odd value of each parameter. `shift` is different for each store, so that another asker
// tries another value there.
for (const [store, { name, skip, newStore }] of (await storeKinds()).entries())
  describe(`odd queries on the admin listener, on ${name}`, { skip }, () => {
    const shift = 3 * store
    let gateway: GatewayUnderTest
    const askers: Client[] = []
    const closing = new AsyncDisposableStack()
    before(async () => {
      gateway = await startGateway({ newStore })
      closing.defer(() => gateway.close())
      const owner = await firstOwner(gateway)
      const { id } = (await owner('POST', '/admin/projects', { name: 'one' })).body
      const member = await invited(owner, gateway, { email: 'member@example.com', role: 'member', project: id })
      askers.push(operator(gateway), member)
    })
    after(() => closing.disposeAsync())

    test('are answered, or refused with a reason', async () => {
      const failed: string[] = []
      for (const [index, paths] of (await oddities(gateway)).entries())
        for (const { path, ask } of someOf(byEverybody(paths), index + shift, 1)) {
          const { status } = await ask('GET', path)
          if (status >= 500) failed.push(`${status} ${path.slice(0, 200)}`)
        }
      assert.deepEqual(failed, [])
    })

    function byEverybody(paths: readonly string[]) {
      return paths.flatMap((path) => askers.map((ask) => ({ path, ask })))
    }
  })

type Operation = { parameters?: { name: string; in: string }[] }

/** For each parameter of each list, the paths with its odd values. */
async function oddities(gateway: GatewayUnderTest): Promise<string[][]> {
  const document = await fetch(`${gateway.adminUrl}/openapi.json`)
  const { paths } = (await document.json()) as { paths: Record<string, { get?: Operation }> }
  const gets = Object.entries(paths)
  return gets.flatMap(([path, { get }]) => (get && path.startsWith('/admin') ? withOddities(path, get) : []))
}

function withOddities(path: string, { parameters = [] }: Operation): string[][] {
  const names = parameters.filter((one) => one.in === 'query').map((one) => one.name)
  const paths = path.includes('{') ? ODD_PATHS.map((odd) => path.replaceAll(/\{\w+\}/g, odd)) : [path]
  const queries = names.map((one) => [`${one}=a&${one}=b`, ...ODD_VALUES.map((odd) => `${one}=${odd}`)])
  const csv = names.includes('format') ? [['format=csv&unknown=%00']] : []
  return [paths, ...[...queries, ...csv].map((odd) => odd.map((query) => `${paths[0]}?${query}`))]
}
