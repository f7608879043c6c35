import assert from 'node:assert/strict'
import { beginSignIn, redeem, statusOfCall } from '../gateway/agent-client.ts'
import { invited, PASSWORD } from '../gateway/people-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'

// The page on which a person signs a coding agent in, in a real browser: its forms, its policy and its cookie.

endShared()
const ON_API = { signedIn: false, listener: 'api' } as const
const EMAIL = 'agents@example.com'

consoleTest(
  'a person signs an agent in with the keyboard, and sees which program asks from where',
  async ({ page, base, gateway, owner, expect }) => {
    expect(/status of (401|404)/)
    await owner('POST', '/admin/projects', { id: 'device-page', name: '<i>Device</i> page' })
    await invited(owner, gateway, { email: EMAIL, role: 'member', project: 'device-page' })
    const codes = await beginSignIn(base, { device_name: '<b>laptop</b>' })
    await page.goto(codes.verification_uri)
    await page.getByLabel('E-mail address').fill(EMAIL)
    await page.getByLabel('Password').fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('E-mail address').fill(EMAIL)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
    assert.equal(await page.getByLabel('Code').inputValue(), '')
    await page.getByLabel('Code').fill('BBBB-BBBB')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Code').fill(codes.user_code.toLowerCase())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Allow this agent?' }).waitFor()
    for (const text of ['claude-cli/2.1.300 (external)', '<b>laptop</b>', '127.0.0.1', '<i>Device</i> page'])
      await page.getByText(text, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Done' }).waitFor()
    const { status, body } = await redeem(base, codes)
    assert.equal(status, 200)
    assert.equal(await statusOfCall(base, body.access_token), 200)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  },
  ON_API,
)

consoleTest(
  'a person with several projects has to choose one, and can deny',
  async ({ page, base }) => {
    const codes = await beginSignIn(base)
    await page.goto(codes.verification_uri)
    await page.getByLabel('E-mail address').fill('owner@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code').fill(codes.user_code)
    await page.getByRole('button', { name: 'Continue' }).click()
    const choice = page.getByLabel('Project')
    assert.equal(await choice.inputValue(), '')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.locator('select:invalid').waitFor()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    assert.equal((await redeem(base, codes)).body.error, 'access_denied')
  },
  ON_API,
)
