import type { Overview } from '../../../src/contract/admin/overview.ts'

type Step = Overview['missing'][number]

const STEPS: Readonly<Record<Step, { path: string; title: string; why: string }>> = {
  provider: {
    path: '/models',
    title: 'Set up a provider',
    why: 'Store a credential, or start the gateway with one, such as OPENAI_API_KEY. The sandbox answers until then.',
  },
  key: { path: '/keys', title: 'Make a key', why: 'Programs need one to call the API.' },
  budget: { path: '/budgets', title: 'Set a budget', why: 'Nothing limits what is spent.' },
  receiver: {
    path: '/alerts?view=rules',
    title: 'Name a receiver of alerts',
    why: 'Alerts are in the console only: no receiver is told.',
  },
  people: { path: '/projects?view=people', title: 'Invite people', why: 'You are alone here.' },
}

/** What is not set up yet. It goes away when everything is. */
export function Setup({ missing }: { missing: Overview['missing'] }) {
  if (missing.length === 0) return null
  return (
    <section class="panel setup">
      <h2>Not set up yet</h2>
      <ul>
        {missing.map((step) => (
          <li key={step}>
            <a href={STEPS[step].path}>{STEPS[step].title}</a> <small>{STEPS[step].why}</small>
          </li>
        ))}
      </ul>
    </section>
  )
}
