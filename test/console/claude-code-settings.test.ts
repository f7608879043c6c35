import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'

endShared()

consoleTest(
  'managed settings of Claude Code are edited for a project and for the organization',
  async ({ page, base, owner, expect }) => {
    expect(/status of 422/)
    await owner('POST', '/admin/projects', { id: 'with-agents', name: 'With agents' })
    await page.goto(`${base}/projects?project=with-agents`)
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('button', { name: 'Claude Code' }).click()
    const text = drawer.getByRole('textbox', { name: 'Settings, as JSON' })
    await text.fill('{"permission":{}}')
    await drawer.getByRole('button', { name: 'Save settings' }).click()
    await drawer.getByText('Did you mean permissions?').waitFor()
    await text.fill('{"permissions"')
    await drawer.getByRole('button', { name: 'Save settings' }).click()
    await drawer.getByText('This is not valid JSON').waitFor()
    await text.fill('{"permissions":{"deny":["Read(./.env)"]}}')
    await drawer.getByRole('button', { name: 'Save settings' }).click()
    await drawer.getByText('permissions', { exact: true }).waitFor()
    const { body } = await owner('GET', '/admin/projects/with-agents')
    assert.deepEqual(body.claude_code_settings, { permissions: { deny: ['Read(./.env)'] } })
    await page.goto(`${base}/projects`)
    await page.getByRole('button', { name: 'Claude Code' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Settings, as JSON' }).fill('{"cleanupPeriodDays":7}')
    await dialog.getByRole('button', { name: 'Save settings' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const { body: organization } = await owner('GET', '/admin/organizations/default')
    assert.deepEqual(organization.claude_code_settings, { cleanupPeriodDays: 7 })
    await owner('PATCH', '/admin/organizations/default', { claude_code_settings: null })
  },
)
