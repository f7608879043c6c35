import assert from 'node:assert/strict'
import { invited, PASSWORD } from '../gateway/people-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'

endShared()

consoleTest(
  'a member is told which budgets of others limit them, their project and their key',
  async ({ page, base, owner, gateway }) => {
    const email = 'emil@example.com'
    const emil = await invited(owner, gateway, { email, role: 'member', project: 'search' })
    const { body: key } = await emil('POST', '/admin/keys', { name: 'of emil', project: 'search' })
    await page.request.post(`${base}/admin/sessions`, { data: { email, password: PASSWORD } })
    await page.goto(base)
    await page.getByText('from-the-file').waitFor()
    assert.equal(await page.getByText(/not limited/).count(), 0)
    // A link would lead to a budget that the person may not open.
    assert.equal(await page.getByRole('link', { name: 'from-the-file' }).count(), 0)
    await page.goto(`${base}/budgets`)
    await page.getByRole('heading', { name: 'You manage no budgets' }).waitFor()
    assert.equal(await page.getByText(/not limited|ADMIN_KEY/).count(), 0)
    await page.goto(`${base}/projects?project=search`)
    await page.getByRole('dialog').getByText('For the whole gateway').waitFor()
    await page.goto(`${base}/keys?key=${key.id}`)
    await page.getByRole('dialog').getByText('For the whole gateway').waitFor()
    assert.equal(await page.getByText('None. ').count(), 0)
  },
  { signedIn: false },
)

consoleTest('an admin sees what limits a person', async ({ page, base, owner }) => {
  const { id } = (await owner('GET', '/admin/me')).body
  await page.goto(`${base}/projects?view=people&user=${id}`)
  await page.getByRole('dialog').getByRole('link', { name: 'from-the-file' }).waitFor()
})
