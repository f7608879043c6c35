// Runs before the first paint, so that a person who chose the dark theme does not see a white flash. It is a script of its
// own because the policy of the page allows no inline scripts.
const chosen = localStorage.getItem('theme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
