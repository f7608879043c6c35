import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { storeKinds } from '../fakes/stores.ts'
import { someOf } from '../soak/sample.ts'
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts'
import { type Client, firstOwner, invited, operator } from './people-under-test.ts'

// No query makes the admin listener answer with 500: not one that is repeated, huge, or no text that a store can hold.

const ODD_VALUES = ['%00', '%ED%A0%80', '999999999999999']
const ODD_PATHS = ['x', '%00', '%ED%A0%80']

// Each store tries others under `npm test`: `shift` is different for each.
for (const [shift, { name, skip, newStore }] of (await storeKinds()).entries())
  describe(`odd queries on the admin listener, on ${name}`, { skip }, () => {
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
      for (const [index, path] of (await pathsOf(gateway)).entries())
        for (const ask of someOf(askers, index + shift, 1)) {
          const { status } = await ask('GET', path)
          if (status >= 500) failed.push(`${status} ${path.slice(0, 200)}`)
        }
      assert.deepEqual(failed, [])
    })
  })

type Operation = { parameters?: { name: string; in: string }[] }

async function pathsOf(gateway: GatewayUnderTest): Promise<string[]> {
  const document = await fetch(`${gateway.adminUrl}/openapi.json`)
  const { paths } = (await document.json()) as { paths: Record<string, { get?: Operation }> }
  const gets = Object.entries(paths)
  return gets.flatMap(([path, { get }]) => (get && path.startsWith('/admin') ? withOddities(path, get) : []))
}

function withOddities(path: string, { parameters = [] }: Operation): string[] {
  const names = parameters.filter((one) => one.in === 'query').map((one) => one.name)
  const paths = path.includes('{') ? ODD_PATHS.map((odd) => path.replaceAll(/\{\w+\}/g, odd)) : [path]
  const queries = names.flatMap((one) => [`${one}=a&${one}=b`, ...ODD_VALUES.map((odd) => `${one}=${odd}`)])
  const csv = names.includes('format') ? ['format=csv&unknown=%00'] : []
  return [...paths, ...[...queries, ...csv].map((query) => `${paths[0]}?${query}`)]
}
