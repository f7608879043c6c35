/** Why the gateway has refused a sign-in with a provider: it answers with this page then. Empty for all other pages. */
export const refusal = document.querySelector<HTMLMetaElement>('meta[name=refusal]')?.content ?? ''

// The address of such a page has the code and the state of the provider.
if (refusal) history.replaceState(null, '', '/sign-in')
