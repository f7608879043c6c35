import assert from 'node:assert/strict'
import { newSetupToken } from '../../src/tenants/sign-in/setup.ts'
import { PASSWORD } from '../gateway/people-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'

endShared()
const SIGNED_OUT = { signedIn: false }

consoleTest(
  'after a sign-in, the person comes back to the page that they opened, with the filter',
  async ({ page, base, expect }) => {
    expect(/status of 401/)
    await page.goto(`${base}/requests?failed=true`)
    await page.waitForURL(/\/sign-in\?next=/)
    await page.getByLabel('E-mail').fill('owner@example.com')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${base}/requests?failed=true`)
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor()
    await page.getByRole('table').waitFor()
  },
  SIGNED_OUT,
)

consoleTest(
  'the page for signing in says how the first owner is made, and leads nowhere else',
  async ({ page, base, expect }) => {
    expect(/status of 401/)
    await page.goto(`${base}/sign-in?next=//elsewhere.example/`)
    await page.getByText('First time here?').click()
    await page.getByText('gatehouse users create').waitFor()
    await page.getByLabel('E-mail').fill('owner@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${base}/`)
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  },
  SIGNED_OUT,
)

consoleTest(
  'where only providers may be used there is no password, and the person comes back to the page that they opened',
  async ({ page, base, owner, expect }) => {
    expect(/status of 401/)
    const { name } = (await owner('GET', '/admin/me')).body
    const providers = [{ name: 'company', title: '<b>Company</b>', url: '/sign-in/oidc/company' }]
    await page.route('**/sign-in/providers', (route) => route.fulfill({ json: { password: false, providers } }))
    // What the provider and the callback do is tested in test/sign-in; this one signs in and leads to the console.
    await page.route('**/sign-in/oidc/company', async (route) => {
      const data = { email: name, password: PASSWORD }
      await page.request.post(`${base}/admin/sessions`, { data })
      await route.fulfill({ status: 302, headers: { location: `${base}/` } })
    })
    await page.goto(`${base}/usage?metric=tokens`)
    const link = page.getByRole('link', { name: 'Sign in with <b>Company</b>' })
    await link.waitFor()
    assert.equal(await page.getByLabel('Password').count(), 0)
    await link.click()
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    assert.equal(page.url(), `${base}/usage?metric=tokens`)
  },
  SIGNED_OUT,
)

consoleTest(
  'an invitation sets up an account, and its token leaves the address',
  async ({ page, base, owner }) => {
    const { body } = await owner('POST', '/admin/invitations', { email: 'ivan@example.com', role: 'auditor' })
    await page.goto(body.url)
    await page.getByLabel('Name').waitFor()
    assert.equal(page.url(), `${base}/setup`)
    assert.equal(await page.getByLabel('E-mail').count(), 0)
    await page.getByLabel('Name').fill('Ivan')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Set up your account' }).click()
    await page.waitForURL(`${base}/`)
    await page.getByRole('link', { name: 'Ivan' }).waitFor()
    const offered = await page.getByRole('navigation').getByRole('link').allInnerTexts()
    assert.ok(offered.includes('Requests') && !offered.includes('Keys'), `an auditor is offered ${offered}`)
    await page.goto(`${base}/keys`)
    await page.getByText("You don't have access to this page").waitFor()
  },
  SIGNED_OUT,
)

consoleTest(
  'the link of the first start asks for everything, and says why a second owner is refused',
  async ({ page, base, gateway, expect }) => {
    expect(/status of 409/)
    const token = await newSetupToken(gateway.gateway.services.tenants)
    await page.goto(`${base}/setup#${token ?? 'used'}`)
    await page.getByLabel('E-mail').fill('second@example.com')
    await page.getByLabel('Name').fill('Second')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Set up your account' }).click()
    await page.getByRole('alert').waitFor()
    assert.equal(page.url(), `${base}/setup`)
  },
  SIGNED_OUT,
)

consoleTest('a person signs out, and the session has ended', async ({ page, base, expect }) => {
  expect(/status of 401/)
  await page.goto(`${base}/requests`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${base}/sign-in`)
  await page.getByLabel('E-mail').waitFor()
  await page.goto(`${base}/requests`)
  await page.waitForURL(/\/sign-in\?next=/)
  await page.getByLabel('E-mail').waitFor()
})

consoleTest('after a sign-out, a list that was still loading does not lead back', async ({ page, base, expect }) => {
  expect(/status of 401/)
  const ended = Promise.withResolvers<void>()
  await page.route('**/admin/requests?*', async (route) => {
    await ended.promise
    await route.continue()
  })
  // The page hears that its session has ended only after the list was refused.
  await page.route('**/admin/sessions/*', async (route) => {
    const response = await route.fetch()
    const refused = page.waitForResponse((one) => one.status() === 401)
    ended.resolve()
    await refused
    await route.fulfill({ response }).catch(() => undefined)
  })
  await page.goto(`${base}/requests`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail').waitFor()
  assert.equal(page.url(), `${base}/sign-in`)
})

consoleTest(
  'a sign-in that the gateway refuses has the look of the console, a clean address and another account',
  async ({ page, base, expect, gateway }) => {
    expect(/status of 40/)
    const html = (await (await fetch(gateway.adminUrl)).text()).replaceAll(
      /(name="refusal" content=")/g,
      '$1You have no access here yet.',
    )
    const providers = [{ name: 'acme', title: 'Acme', url: '/sign-in/oidc/acme' }]
    await page.route('**/sign-in/providers', (route) => route.fulfill({ json: { password: true, providers } }))
    // The page of the callback is tested with a real provider in test/sign-in.
    await page.route('**/callback?*', (route) => route.fulfill({ status: 403, contentType: 'text/html', body: html }))
    await page.goto(`${base}/sign-in/oidc/acme/callback?code=secret&state=secret`)
    await page.getByRole('alert').getByText('You have no access here yet.').waitFor()
    assert.equal(page.url(), `${base}/sign-in`)
    const other = page.getByRole('link', { name: 'Use another Acme account' })
    assert.equal(await other.getAttribute('href'), '/sign-in/oidc/acme?choose_account=true')
  },
  SIGNED_OUT,
)

consoleTest('a wrong address is a page of the console', async ({ page, base, expect }) => {
  expect(/status of 404/)
  for (const path of ['nonsense', 'admin', 'request?last=7d']) {
    await page.goto(`${base}/${path}`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  }
  await page.getByRole('link', { name: 'Back to the overview' }).click()
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
})

consoleTest('a sign-out goes where the gateway says that the provider ends its session', async ({ page, base }) => {
  await page.route('**/admin/me/sign-out', (route) => route.fulfill({ json: { url: `${base}/sign-in?left=provider` } }))
  await page.goto(`${base}/keys`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${base}/sign-in?left=provider`)
  await page.getByLabel('Password').waitFor()
})

consoleTest(
  'a password that is too short is said below its field, and nothing is sent',
  async ({ page, owner }) => {
    const { body } = await owner('POST', '/admin/invitations', { email: 'short@example.com', role: 'auditor' })
    await page.goto(body.url)
    await page.getByLabel('Name').fill('Short')
    await page.getByLabel('Password').pressSequentially('short')
    await page.getByRole('button', { name: 'Set up your account' }).click()
    await page.getByRole('alert').getByText('At least 12 characters; these are 5.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.name'), 'password')
    await page.getByLabel('Password').pressSequentially(' is not enough')
    await page.getByRole('alert').waitFor({ state: 'detached' })
  },
  SIGNED_OUT,
)
