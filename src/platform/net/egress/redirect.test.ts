import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { type TestContext, test } from 'node:test'
import { egressUnderTest, get, NAME, textOf } from './fixtures/egress-under-test.ts'
import { closed, openWeb } from './fixtures/servers.ts'
import { makeCertificate } from './fixtures/self-made-certificate.ts'
import { EgressRefused } from './refusal.ts'

const STATUSES = [301, 302, 303, 307, 308]
const FOLLOW = { redirects: 3 } as const

test('a redirect is followed to where it leads, and the answer says from where it came', async (context) => {
  for (const status of STATUSES) {
    const web = await openSite(context, ({ port }) => ({
      '/': { status, location: `http://other.example.org:${port}/end` },
    }))
    const response = await web.egress.fetch(get(web.url('/'), FOLLOW))
    assert.deepEqual([await textOf(response), response.url], ['the end', `http://other.example.org:${web.port}/end`])
    assert.deepEqual(web.visits, ['/', '/end'])
  }
})

test('a relative target stays at the host', async (context) => {
  for (const location of ['end', '/end', './end?x', '//files.example.org:PORT/end', '../../end', '\\end', '?x', '']) {
    const web = await openSite(context, ({ port }) => ({
      '/': { status: 302, location: location.replace('PORT', `${port}`) },
    }))
    const request = web.egress.fetch(get(web.url('/'), FOLLOW))
    if (location === '?x' || location === '') await assert.rejects(request, EgressRefused, 'a circle')
    else assert.equal(await textOf(await request), 'the end', location)
  }
})

test('a redirect to the inside, to another scheme or with a user name is refused and never dialled', async (context) => {
  const targets = (port: number) => [
    `http://127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://[::ffff:127.0.0.2]:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://localhost:${port}/`,
    `http://localhost.:${port}/`,
    `http://inside.example.org:${port}/`,
    `https://inside.example.org:${port}/`,
    `//127.0.0.1:${port}/`,
    `\\\\127.0.0.1:${port}\\`,
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.google.internal/',
    `http://user:password@${NAME}:${port}/end`,
    `http://${NAME}@127.0.0.1:${port}/end`,
    `ftp://${NAME}/end`,
    `gopher://127.0.0.1:${port}/_GET`,
    'file:///etc/passwd',
    'data:text/plain,hello',
    'javascript:alert(1)',
    'http://',
    `http://${NAME}:22/`,
    `http://${NAME}:${port}/${'x'.repeat(2_083)}`,
  ]
  let current = ''
  const web = await openSite(context, () => ({
    '/': {
      status: 302,
      get location() {
        return current
      },
    },
  }))
  for (const status of STATUSES)
    for (const target of targets(web.port)) {
      current = target
      web.site['/']!.status = status
      await assert.rejects(web.egress.fetch(get(web.url('/'), FOLLOW)), EgressRefused, `${status} ${target}`)
    }
  assert.equal(web.canary.connections, 0)
  assert.deepEqual(new Set(web.visits), new Set(['/']))
})

test('three hops are followed, the fourth is refused; a chain of twenty and a circle end there too', async (context) => {
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, i) => [
        i === 0 ? '/' : `/${i}`,
        { status: 302, location: i === length - 1 ? '/end' : `/${i + 1}` },
      ]),
    )
  const three = await openSite(context, () => chain(3))
  assert.equal(await textOf(await three.egress.fetch(get(three.url('/'), FOLLOW))), 'the end')
  for (const site of [chain(4), chain(20), { '/': { status: 307, location: '/' } }]) {
    const web = await openSite(context, () => site)
    await assert.rejects(web.egress.fetch(get(web.url('/'), FOLLOW)), EgressRefused)
    assert.equal(web.visits.length, 4)
  }
})

test('the socket of a redirect is not kept, though its body has no end', async (context) => {
  const web = await openWeb(context, (request, response) => {
    if (request.url === '/end') return response.end('the end')
    response.writeHead(302, { location: '/end' }).write('x')
  })
  const egress = egressUnderTest(context)
  const response = await egress.fetch(get(`http://${NAME}:${web.port}/`, FOLLOW))
  await closed(web.good.socket(0))
  assert.equal(await textOf(response), 'the end')
})

test('nor is the socket of a redirect that is refused', async (context) => {
  const web = await openWeb(context, (_, response) => {
    response.writeHead(302, { location: 'http://' }).write('x')
  })
  const egress = egressUnderTest(context)
  await assert.rejects(egress.fetch(get(`http://${NAME}:${web.port}/`, FOLLOW)), EgressRefused)
  await closed(web.good.socket(0))
})

test('with no redirects allowed, or with a body, the redirect itself is the answer', async (context) => {
  const web = await openSite(context, () => ({ '/': { status: 307, location: 'http://127.0.0.1/' } }))
  const post = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } } as const
  for (const changes of [{}, post, { ...post, ...FOLLOW }]) {
    const response = await web.egress.fetch(get(web.url('/'), changes))
    assert.deepEqual([response.status, response.headers.location], [307, 'http://127.0.0.1/'])
    await textOf(response)
  }
  assert.deepEqual(web.visits, ['/', '/', '/'])
})

test('a 3xx that is no redirect is an answer: 304, 300, and a 302 that says not where', async (context) => {
  for (const answer of [{ status: 304, location: '/end' }, { status: 300, location: '/end' }, { status: 302 }]) {
    const web = await openSite(context, () => ({ '/': answer }))
    const response = await web.egress.fetch(get(web.url('/'), FOLLOW))
    assert.equal(response.status, answer.status)
    await textOf(response)
  }
})

test('a second Location is refused, and a Refresh is not obeyed', async (context) => {
  const twice = await openSite(context, () => ({ '/': { status: 302, location: ['/end', 'http://127.0.0.1/'] } }))
  await assert.rejects(twice.egress.fetch(get(twice.url('/'), FOLLOW)), EgressRefused)
  const refresh = await openSite(context, () => ({ '/': { status: 200, refresh: '0; url=/end' } }))
  assert.equal((await refresh.egress.fetch(get(refresh.url('/'), FOLLOW))).status, 200)
  assert.deepEqual(refresh.visits, ['/'])
})

test('credentials stay with the origin that they were meant for', async (context) => {
  const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'X-Api-Key': 'k', 'X-Anything': 'y', Accept: 'image/*' }
  const secrets = (seen: IncomingHttpHeaders) => [
    seen.authorization,
    seen.cookie,
    seen['x-api-key'],
    seen['x-anything'],
    seen.accept,
  ]
  const same = await openSite(context, () => ({ '/': { status: 302, location: '/end' } }))
  await textOf(await same.egress.fetch(get(same.url('/'), { ...FOLLOW, headers })))
  assert.deepEqual(secrets(same.headers.at(-1)!), ['Bearer x', 'a=b', 'k', 'y', 'image/*'])
  const other = await openSite(context, ({ port }) => ({
    '/': { status: 302, location: `http://other.example.org:${port}/back` },
    '/back': { status: 302, location: `http://${NAME}:${port}/end` },
  }))
  await textOf(await other.egress.fetch(get(other.url('/'), { ...FOLLOW, headers })))
  const none = [undefined, undefined, undefined, undefined, 'image/*']
  assert.deepEqual(other.headers.map(secrets), [['Bearer x', 'a=b', 'k', 'y', 'image/*'], none, none])
})

test('from https there is no way to http, not even to an allowed network', async (context) => {
  const certificate = makeCertificate([NAME])
  let visits = 0
  const web = await openWeb(
    context,
    (_, response) => {
      visits += 1
      response.writeHead(302, { location: `http://${NAME}:${web.port}/` }).end()
    },
    certificate,
  )
  const egress = egressUnderTest(context, { ca: certificate.cert })
  await assert.rejects(egress.fetch(get(`https://${NAME}:${web.port}/`, FOLLOW)), EgressRefused)
  assert.deepEqual([visits, web.good.connections], [1, 1])
})

type Site = Record<string, { status: number; location?: string | string[]; refresh?: string }>

/** A site of redirects. Every path that is not on the map is a final answer; `inside.example.org` resolves to loopback. */
async function openSite(context: TestContext, map: (web: { port: number }) => Site) {
  const visits: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const web = await openWeb(context, (request, response) => {
    const { pathname } = new URL(request.url!, 'http://site')
    visits.push(pathname)
    headers.push(request.headers)
    const { status, location, refresh } = site[pathname] ?? { status: 200 }
    const options = Object.entries({ location, refresh }).filter(([, value]) => value !== undefined)
    response.writeHead(status, Object.fromEntries(options) as Record<string, string>).end('the end')
  })
  const site = map(web)
  const resolve = async (name: string) => [
    { address: name.startsWith('inside') ? '127.0.0.1' : '127.0.0.2', family: 4 },
  ]
  const egress = egressUnderTest(context, { resolve })
  return { ...web, egress, site, visits, headers, url: (path: string) => `http://${NAME}:${web.port}${path}` }
}
