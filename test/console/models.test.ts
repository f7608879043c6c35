import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'

endShared()

const SECRET = 'sk-of-the-console-test-wxyz'

consoleTest('a provider says which variable it lacks, and is ready once a key is stored', async (console) => {
  const { page, base, owner } = console
  await page.goto(`${base}/models`)
  const row = page.getByRole('row', { name: /groq/i })
  await row.getByText('GROQ_API_KEY').waitFor()
  await row.getByText('not set up').waitFor()
  await row.getByRole('link').first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText("export GROQ_API_KEY='…'").waitFor()
  await dialog.getByRole('textbox', { name: 'Name of a new key' }).fill('team-a')
  await dialog.getByLabel(/^The key, which is never shown/).fill(SECRET)
  await dialog.getByRole('button', { name: 'Store it' }).click()
  await dialog.getByText('…wxyz').waitFor()
  await dialog.getByText('ready').waitFor()
  assert.ok(!(await page.content()).includes(SECRET))
  await dialog.getByRole('button', { name: 'Remove team-a' }).click()
  await dialog.getByRole('button', { name: 'Remove it for good' }).click()
  await dialog.getByText('None yet.').waitFor()
  assert.deepEqual((await owner('GET', '/admin/credentials?provider=groq')).body.items, [])
})

consoleTest('the catalog is filtered in the address, and a model answers one token', async ({ page, base, owner }) => {
  await page.goto(`${base}/models?view=catalog&provider=sandbox`)
  await page.getByRole('cell', { name: 'sandbox/echo', exact: true }).waitFor()
  assert.equal(await page.getByRole('cell', { name: /^openai\// }).count(), 0)
  await page.getByRole('button', { name: 'Try sandbox/echo', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Project that pays' }).selectOption('search team')
  await dialog.getByRole('button', { name: 'Ask for one token' }).click()
  await dialog.getByText('It answered').waitFor()
  const link = await dialog.getByRole('link', { name: 'The call' }).getAttribute('href')
  const id = new URL(link!, base).searchParams.get('call')
  await page.goto(`${base}/models?view=catalog&type=image&configured=true`)
  await page.getByRole('cell', { name: 'sandbox/image' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Try/ }).count(), 0)
  const asked = await untilKnown(() => owner('GET', `/admin/requests/${id}`))
  assert.deepEqual([asked.body.project, asked.body.model], ['search', 'sandbox/echo'])
})

/** The line of a call is written soon after its answer. */
async function untilKnown<Answer extends { status: number }>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 404) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

consoleTest('an alias is made with shares and fallbacks, tried, changed and deleted', async ({ page, base, owner }) => {
  await page.goto(`${base}/models?view=aliases`)
  await page.getByRole('button', { name: 'New alias' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('team/fast')
  await dialog.getByRole('textbox', { name: 'Model 1', exact: true }).fill('sandbox/fail-500')
  await dialog.getByRole('button', { name: 'Another model' }).click()
  await dialog.getByRole('textbox', { name: 'Model 2', exact: true }).fill('sandbox/fail-503')
  await dialog.getByRole('spinbutton', { name: 'Share of model 2' }).fill('3')
  await dialog.getByRole('textbox', { name: /^Then/ }).fill('sandbox/echo')
  await dialog.getByRole('textbox', { name: /as JSON/ }).fill('{temperature')
  await dialog.getByRole('button', { name: 'Create the alias' }).click()
  await dialog.getByRole('alert').getByText('have to be a JSON object').waitFor()
  await dialog.getByRole('textbox', { name: /as JSON/ }).fill('{"temperature": 0}')
  await dialog.getByRole('button', { name: 'Create the alias' }).click()
  await page.getByRole('button', { name: 'Try team/fast' }).click()
  await dialog.getByRole('button', { name: 'Ask for one token' }).click()
  await dialog.getByText('(sandbox/echo)').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'team/fast', exact: true }).click()
  await dialog.getByRole('button', { name: 'Remove model 1' }).click()
  await dialog.getByRole('textbox', { name: /^Then/ }).fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { body } = await owner('GET', '/admin/aliases/team%2Ffast')
  assert.deepEqual(
    [body.targets.map(({ model, weight }: { model: string; weight: number }) => [model, weight]), body.defaults],
    [[['sandbox/fail-503', 3]], { temperature: 0 }],
  )
  assert.ok(!body.fallbacks?.length)
  await page.getByRole('link', { name: 'team/fast', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete this alias' }).click()
  await dialog.getByRole('button', { name: 'Delete it for good' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await owner('GET', '/admin/aliases/team%2Ffast')).status, 404)
})

consoleTest('an alias of the config file is shown, and not offered for change', async ({ page, base }) => {
  await page.goto(`${base}/models?view=aliases`)
  await page.getByRole('link', { name: 'alias-of-the-file', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('in the config file, so it cannot be changed here').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Save' }).count(), 0)
  assert.ok(await dialog.getByRole('textbox', { name: 'Model 1', exact: true }).isDisabled())
})
