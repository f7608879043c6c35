// Runs before the first paint, so that nobody who chose the dark theme sees a white flash. It is a script of its own because
// the policy of the page allows no inline scripts.
const chosen = localStorage.getItem('theme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
