import assert from 'node:assert/strict'
import { ADMIN_KEY } from '../gateway/gateway-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'
import { addFilter } from './filters.ts'

endShared()

consoleTest('every value has its origin, the filter is in the address, and no secret is shown', async (console) => {
  const { page, base, owner } = console
  const { body } = await owner('GET', '/admin/config')
  await page.goto(`${base}/settings`)
  await page.getByText(`${body.values.length} of ${body.values.length} settings`).waitFor()
  assert.ok(!(await page.content()).includes(ADMIN_KEY))
  await addFilter(page, 'Origin', 'Environment or flag')
  await page.waitForURL(/origin=environment/)
  await addFilter(page, 'Name or value', 'data_dir')
  await page.getByText(`1 of ${body.values.length} settings`).waitFor()
  await page.getByRole('region', { name: 'Settings' }).getByText('DATA_DIR').waitFor()
  await page.getByRole('region', { name: 'Processes' }).getByText(body.process).waitFor()
})

consoleTest('the log level is changed and returned, and the config file is read again', async (console) => {
  const { page, base, owner } = console
  const levels = async () => {
    const { body } = await owner('GET', '/admin/audit?action=config.update')
    return body.items.map(({ after }: { after: { log_level: string | null } }) => after.log_level)
  }
  await page.goto(`${base}/settings?name=LOG_LEVEL`)
  const choice = page.getByRole('combobox', { name: 'Level of all processes' })
  await choice.selectOption('warn')
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByText('The log level is warn.').waitFor()
  await page.getByText('warn set by an operator').waitFor()
  await choice.selectOption('as configured')
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByText('The log level is set by the configuration.').waitFor()
  await page.getByText('from the configuration', { exact: true }).waitFor()
  assert.deepEqual((await levels()).slice(0, 2), [null, 'warn'])
  await page.getByRole('button', { name: 'Reload config file' }).click()
  await page.getByText('The configuration is in use in one process.').waitFor()
})

consoleTest('processes that differ and values that wait for a restart are named', async ({ page, base, owner }) => {
  const { body } = await owner('GET', '/admin/config')
  const [first, ...values] = body.values
  const other = { ...body.process_states[0], process: 'another', version: null, agrees: false }
  const there = [
    { process: body.process, value: 5 },
    { process: 'another', value: null },
  ]
  // One process cannot differ from itself, so the answer is what two of them would give.
  await page.route('**/admin/config', (route) =>
    route.fulfill({
      json: {
        ...body,
        values: [{ ...first, pending: 'the next value' }, ...values],
        process_states: [...body.process_states, other],
        differences: [{ name: 'providers.fake.limit', values: there }],
      },
    }),
  )
  await page.goto(`${base}/settings?restart=true`)
  await page.getByText(`1 of ${body.values.length} settings`).waitFor()
  await page.getByText('→ the next value after restart').waitFor()
  const differing = page.getByRole('region', { name: 'Differences' })
  await differing.getByRole('row', { name: 'providers.fake.limit another not set' }).waitFor()
})
