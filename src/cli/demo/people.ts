import { createPerson } from '../../tenants/sign-in/manage-passwords.ts'
import { hashPassword } from '../../tenants/sign-in/password-hash.ts'
import { openSession } from '../../tenants/sign-in/sessions.ts'
import { servicesAt, type Demo, type DemoPerson, OWNER } from './demo.ts'
import { HOUR_MS } from '../../base/units/units.ts'

/** The password of everybody in a demo. docs/cli.md has it too. */
export const DEMO_PASSWORD = 'gatehouse demo'

export const PEOPLE: readonly DemoPerson[] = [
  { email: OWNER, name: 'Ada Lindqvist', role: 'owner', project: null },
  { email: 'bruno@demo.example', name: 'Bruno Costa', role: 'admin', project: null },
  { email: 'chiara@demo.example', name: 'Chiara Ricci', role: 'manager', project: 'support' },
  { email: 'deniz@demo.example', name: 'Deniz Aydın', role: 'manager', project: 'research' },
  { email: 'emil@demo.example', name: 'Emil Novák', role: 'member', project: 'research' },
  { email: 'farah@demo.example', name: 'Farah Haddad', role: 'member', project: 'search' },
  { email: 'grace@demo.example', name: 'Grace Okafor', role: 'auditor', project: null },
  { email: 'henrik@demo.example', name: 'Henrik Dahl', role: 'billing', project: null },
]

export async function addPeople(demo: Demo): Promise<number> {
  // A hash takes a twentieth of a second. Everybody has the same password, and it is no secret.
  const hash = hashPassword(DEMO_PASSWORD)
  for (const [index, person] of PEOPLE.entries()) {
    const people = servicesAt(demo, demo.from + 2 * HOUR_MS + index * 600_000)
    const id = await createPerson({ ...person, password: DEMO_PASSWORD }, people, () => hash)
    demo.people.set(person.email, { ...person, id })
  }
  return PEOPLE.length
}

/** Everybody signs in now and then; sessions that are over stay in the audit log. */
export async function signInOn(demo: Demo, email: string, at: number): Promise<void> {
  const { id } = demo.people.get(email)!
  const { db, now, newId, author } = servicesAt(demo, at, email)
  const origin = {
    ip: author.ip!,
    agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0',
    request: author.request,
    listener: 'admin' as const,
  }
  await openSession({ id }, { via: 'password', origin }, { db, now, newId })
}
