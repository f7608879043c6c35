import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/platform/store/database.ts'
import { submitJob } from '../../src/platform/store/jobs/jobs.ts'
import { newJob } from '../fakes/new-job.ts'
import { invited, PASSWORD } from '../gateway/people-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'
import { addFilter } from './filters.ts'
import { HOSTILE } from './seed.ts'

endShared()

consoleTest('a project is made, changed with its rules and contents, and deleted', async ({ page, base, owner }) => {
  await page.goto(`${base}/projects`)
  await page.getByRole('cell', { name: '$20.00 per month' }).waitFor()
  await page.getByRole('button', { name: 'New project' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(HOSTILE)
  await dialog.getByRole('textbox', { name: /^ID/ }).fill('project-of-the-test')
  await dialog.getByRole('textbox', { name: /^Models/ }).fill('sandbox/*')
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await page.getByRole('link', { name: HOSTILE }).click()
  await dialog.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('combobox', { name: 'Region' }).selectOption('Europe')
  await dialog.getByRole('combobox', { name: 'Request content' }).selectOption('Kept without personal data')
  await dialog.getByRole('spinbutton', { name: 'Days kept' }).fill('3')
  await dialog.getByRole('spinbutton', { name: 'Bytes kept per text' }).fill('2000')
  await dialog.getByRole('combobox', { name: 'Content access' }).selectOption('Owners, admins and project managers')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('redacted, 3 days').waitFor()
  const { body } = await owner('GET', '/admin/projects/project-of-the-test')
  assert.deepEqual([body.region, body.policy], ['eu', { models: ['sandbox/*'] }])
  const content = { mode: 'redacted', days: 3, bytes_per_field: 2_000, managers_read: true, in_spans: false }
  assert.deepEqual(body.content, content)
  assert.equal(await page.locator('img').count(), 0)
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete project' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await owner('GET', '/admin/projects/project-of-the-test')).status, 404)
})

consoleTest('a project with a running job is deleted only when its jobs are given up', async (console) => {
  const { page, base, owner, gateway, expect } = console
  expect(/status of 409/)
  await owner('POST', '/admin/projects', { id: 'busy', name: 'busy' })
  await runForEver(gateway.gateway.services.calls.db, 'busy')
  await page.goto(`${base}/projects?project=busy`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete project' }).click()
  await dialog.getByRole('alert').getByText('There are unfinished jobs').waitFor()
  assert.equal((await owner('GET', '/admin/projects/busy')).status, 200)
  await dialog.getByRole('button', { name: 'Cancel jobs and delete project' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await owner('GET', '/admin/projects/busy')).status, 404)
})

/** A job that another process seems to run, so that the worker of the gateway leaves it alone. */
async function runForEver(db: Database, owner: string): Promise<void> {
  const job = newJob({ owner, project: owner })
  await submitJob(db, job)
  const sql = `UPDATE jobs SET state = 'running', finished_at = NULL, attempt = attempt + 1,
    lease_until = steady_ms() + 86400000 WHERE id = $1 RETURNING id`
  assert.equal((await db.query(sql, [job.id])).length, 1)
}

consoleTest('a person is invited with a link that works, and gets another role', async (console) => {
  const { page, base, owner, gateway } = console
  await page.goto(`${base}/projects?view=people`)
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('new.person@example.com')
  await dialog.getByRole('combobox', { name: 'Where' }).selectOption('search team')
  await dialog.getByRole('combobox', { name: 'Role' }).selectOption('manager')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.locator('pre').innerText()
  assert.match(link, new RegExp(`^${base}/setup#invitation=`))
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('manager of search team').first().waitFor()
  const person = await invited(owner, gateway, {
    email: `${randomUUID()}@example.com`,
    role: 'member',
    project: 'search',
  })
  await page.goto(`${base}/projects?view=people&user=${person.id}`)
  await dialog.getByRole('combobox', { name: 'In search team' }).selectOption('auditor')
  await page.getByText('Role changed to auditor.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await addFilter(page, 'Roles in project', 'search team')
  await page.getByRole('region', { name: 'Roles in search team' }).getByRole('cell', { name: 'auditor' }).waitFor()
})

consoleTest('a service account gets a token, which works until it is revoked', async ({ page, base, owner }) => {
  await page.goto(`${base}/projects?view=people`)
  await page.getByRole('button', { name: 'New service account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('terraform of the test')
  await dialog.getByRole('combobox', { name: 'Role' }).selectOption('admin')
  await dialog.getByRole('button', { name: 'Create service account' }).click()
  await page.getByRole('link', { name: 'terraform of the test' }).click()
  await dialog.getByRole('textbox', { name: 'New token' }).fill('ci')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = (await dialog.locator('pre').innerText()).trim()
  const ask = async () => (await fetch(`${base}/admin/me`, { headers: { authorization: `Bearer ${token}` } })).status
  assert.equal(await ask(), 200)
  await dialog.getByRole('button', { name: 'Revoke ci' }).click()
  await dialog.getByRole('button', { name: 'Revoke token' }).click()
  await dialog.getByRole('button', { name: 'Revoke ci' }).waitFor({ state: 'detached' })
  assert.equal(await ask(), 401)
  const { body } = await owner('GET', '/admin/users?kind=service')
  assert.ok(body.items.some(({ name }: { name: string }) => name === 'terraform of the test'))
})

consoleTest(
  'a manager is offered what the API allows in the own project, and nothing else',
  async ({ page, base, owner, gateway }) => {
    const email = `${randomUUID()}@example.com`
    await invited(owner, gateway, { email, role: 'manager', project: 'search' })
    await page.context().request.post(`${base}/admin/sessions`, { data: { email, password: PASSWORD } })
    await page.goto(`${base}/projects?project=search`)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByRole('button', { name: 'Save' }).waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Delete', exact: true }).count(), 0)
    assert.equal(await dialog.getByRole('combobox').count(), 0, 'rules and contents are set by the organization')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('search team (renamed)')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Project saved.').waitFor()
    await owner('PATCH', '/admin/projects/search', { name: 'search team' })
    await dialog.getByRole('button', { name: 'Close' }).click()
    assert.equal(await page.getByRole('button', { name: 'New project' }).count(), 0)
    const screens = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allInnerTexts()
    assert.ok(
      screens.includes('Budgets') && !screens.includes('Settings') && !screens.includes('Alerts'),
      screens.join(),
    )
    await page.goto(`${base}/projects?view=people`)
    await page.getByRole('button', { name: 'Invite' }).click()
    const places = dialog.getByRole('combobox', { name: 'Where' }).getByRole('option')
    await places.getByText('search team').waitFor({ state: 'attached' })
    assert.deepEqual(await places.allInnerTexts(), ['search team'])
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('colleague@example.com')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.goto(`${base}/budgets?budget=research-month`)
    await dialog.getByText('project search team').waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Edit' }).count(), 0)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'New budget' }).click()
    const kinds = dialog.getByRole('combobox', { name: 'Applies to', exact: true }).getByRole('option')
    assert.deepEqual(await kinds.allInnerTexts(), ['A project', 'A key'])
    await dialog.getByRole('combobox', { name: 'A project' }).selectOption('search team')
    await dialog.getByRole('spinbutton', { name: 'Limit, USD' }).fill('3')
    await dialog.getByText('More options').click()
    assert.equal(await dialog.getByRole('textbox', { name: /^ID/ }).count(), 0, 'the gateway makes it')
    await dialog.getByRole('button', { name: 'Create budget' }).click()
    await page.getByRole('link', { name: /^limit-[0-9a-f]{12}$/ }).click()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByRole('button', { name: 'Delete budget' }).click()
    await dialog.waitFor({ state: 'detached' })
  },
  { signedIn: false },
)
