import assert from 'node:assert/strict'
import { clientOf, invited, PASSWORD, signedIn } from '../gateway/people-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'

endShared()

consoleTest(
  'a person changes their name and password, and ends another session',
  async ({ page, base, owner, gateway, expect }) => {
    expect(/status of 422/)
    const email = 'anna@example.com'
    await invited(owner, gateway, { email, role: 'member', project: 'search' })
    const data = { email, password: PASSWORD }
    await page.request.post(`${base}/admin/sessions`, { data })
    await page.goto(base)
    await page.getByRole('link', { name: email }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Anna Example')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByRole('definition').filter({ hasText: 'Anna Example' }).waitFor()
    const sessions = page.getByRole('region').or(page.locator('section')).filter({ hasText: 'This session' })
    await sessions.getByRole('button', { name: 'End' }).first().click()
    await page.getByRole('button', { name: 'End session' }).click()
    await sessions.getByRole('button', { name: 'End' }).waitFor({ state: 'detached' })
    const other = 'another long password'
    await page.getByLabel('Current password').fill('not the password')
    await page.getByLabel(/^New password/).fill(other)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('alert').getByText('not the current password').waitFor()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed', { exact: false }).waitFor()
    assert.equal((await clientOf(gateway)('POST', '/admin/sessions', data)).status, 401)
    const { body } = await (await signedIn(gateway, email, other))('GET', '/admin/me')
    assert.deepEqual(body.account, { name: 'Anna Example', email, has_password: true })
    await page.reload()
    await page.getByText('This session').waitFor()
  },
  { signedIn: false },
)
