import assert from 'node:assert/strict'
import { ADMIN_KEY } from '../gateway/gateway-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'
import { answerOf, openOperation, sendAndWait } from './docs-pages.ts'
import { HOSTILE } from './seed.ts'

endShared()

consoleTest('docs of the admin API: a request with the session of the console', async ({ page, base, gateway }) => {
  await page.goto(`${base}/docs`)
  await page.getByRole('heading', { level: 1, name: 'Admin API' }).waitFor()
  const other = page.getByRole('link', { name: 'Public API' })
  assert.equal(await other.getAttribute('href'), `${gateway.url}/docs`)
  await page.getByText(`curl ${base}/admin/keys`).waitFor()
  await page.getByText('GATEHOUSE_ADMIN_KEY').first().waitFor()
  await page.getByLabel('Search the guides and the API').fill('your account and permissions')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Get your account and permissions' }).waitFor()
  await sendAndWait(page)
  await answerOf(page).getByText('"owner@example.com"').waitFor()
  await page.evaluate("location.hash = 'getAdminKeys'")
  await page.getByRole('heading', { level: 1, name: 'List keys' }).waitFor()
  await sendAndWait(page)
  await answerOf(page).getByText('onerror', { exact: false }).waitFor()
  assert.ok(HOSTILE && (await page.locator('img').count()) === 0)
})

consoleTest('docs of the admin API: a key, and a deletion in two steps', async ({ page, base, owner }) => {
  const { body } = await owner('POST', '/admin/keys', { name: 'to be revoked' })
  await openOperation(page, base, 'deleteAdminKeysById')
  await page.getByLabel('a key', { exact: true }).check()
  await page.getByLabel('Admin key or token').fill(ADMIN_KEY)
  await page.getByLabel('id', { exact: true }).fill(body.id)
  await page.getByRole('button', { name: 'Send' }).click()
  assert.equal((await owner('GET', `/admin/keys/${body.id}`)).body.revoked_at, null)
  await page.getByRole('button', { name: 'Send and delete' }).click()
  await answerOf(page).getByText('204', { exact: true }).waitFor()
  await answerOf(page).getByText('The answer has no body.').waitFor()
})

consoleTest(
  'docs of the admin API: a person who has not signed in is told so',
  async ({ page, base, expect }) => {
    expect(/status of 401/)
    await openOperation(page, base, 'getAdminMe')
    await sendAndWait(page)
    await answerOf(page).getByText('401', { exact: true }).waitFor()
    const signIn = page.getByRole('link', { name: 'console', exact: true })
    assert.equal(await signIn.getAttribute('href'), 'sign-in?next=/docs')
  },
  { signedIn: false },
)
