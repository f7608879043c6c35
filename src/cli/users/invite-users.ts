import { type Config, loadConfig } from '../../platform/config/config.ts'
import { listeningUrl } from '../../platform/net/addresses/listening-url.ts'
import { makeAccountLink } from '../../tenants/people/account-links.ts'
import type { PeopleServices } from '../../tenants/people/people-services.ts'
import { personOf } from '../../tenants/sign-in/manage-passwords.ts'
import { listClosedAccounts } from '../../platform/store/people/account-links.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { withPeople } from './with-people.ts'

const MOST = 100_000

/** Prints a line for each person: the address, and the link if links were asked for. */
export async function inviteUsersCommand(
  { values, operands }: Input<'users invite'>,
  terminal: Terminal,
): Promise<number> {
  const [email] = operands
  if (email !== undefined && values.all) throw new UsageError('Name one person, or use --all.')
  const base = baseOf(loadConfig(terminal.environment))
  return await withPeople(terminal, async (people) => {
    const users = email === undefined ? await listClosedAccounts(people.db, MOST) : [await personOf(email, people)]
    const isListed = email === undefined && !values.all
    for (const { id, email: address } of users)
      terminal.print(`${isListed ? address : `${address}  ${await linkFor(id, base, people)}`}\n`)
    terminal.remark(remarkAbout(users.length, isListed))
  })
}

async function linkFor(id: string, base: string, people: PeopleServices): Promise<string> {
  return (await makeAccountLink(id, (token) => `${base}/setup#invitation=${token}`, people)).url
}

function baseOf({ adminUrl, adminHost, adminPort, tlsCertFile }: Config): string {
  return adminUrl ?? listeningUrl({ address: adminHost, port: adminPort }, Boolean(tlsCertFile))
}

function remarkAbout(count: number, isListed: boolean): string {
  if (count === 0) return 'Everyone who has an account can sign in.\n'
  if (!isListed) return 'Each link works once, for 72 hours. Send each link to its person.\n'
  return 'These people have an account but cannot sign in. Add --all to create a link for each of them.\n'
}
