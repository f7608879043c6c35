import assert from 'node:assert/strict'
import { ADMIN_KEY } from '../e2e/gateway-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'

endShared()

consoleTest('every value has its origin, the filter is in the address, and no secret is shown', async (console) => {
  const { page, base, owner } = console
  const { body } = await owner('GET', '/admin/config')
  await page.goto(`${base}/settings`)
  await page.getByText(`${body.values.length} of ${body.values.length} values`).waitFor()
  assert.ok(!(await page.content()).includes(ADMIN_KEY))
  await page.getByRole('combobox', { name: 'Origin' }).selectOption('Environment')
  await page.waitForURL(/origin=environment/)
  await page.getByRole('searchbox', { name: 'Name or value' }).fill('data_dir')
  await page.getByRole('searchbox', { name: 'Name or value' }).press('Enter')
  await page.getByText(`1 of ${body.values.length} values`).waitFor()
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
  const choice = page.getByRole('combobox', { name: 'All processes log' })
  await choice.selectOption('warn')
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('The log level is warn.').waitFor()
  await choice.selectOption('as configured')
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('The log level is that of the configuration.').waitFor()
  assert.deepEqual((await levels()).slice(0, 2), [null, 'warn'])
  await page.getByRole('button', { name: 'Reload the config file' }).click()
  await page.getByText('The configuration is in use in one process.').waitFor()
})
