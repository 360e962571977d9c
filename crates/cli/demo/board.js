// Writes the board: without this script, the page has no text.
const pots = [
  ["Fog Ridge Oolong", "third infusion", "£3.20"],
  ["Mill Breakfast", "until noon", "£2.60"],
  ["Low Meadow White", "first infusion", "£3.80"],
  ["Weir Mint", "picked this morning", "£2.40"],
];
const rows = pots.map((pot) => `<tr>${pot.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("");
document.getElementById("app").innerHTML = `
  <header class="site-header">
    <a class="brand" href="/"><img src="/images/leaf.svg" alt="" width="28" height="28"> Larkfield Tea House</a>
  </header>
  <div class="columns"><main>
    <h1>Today's board</h1>
    <p>What is in the pots right now, chalked up by whoever opens the door. Four pots fit on the stove, and when one is
    empty the next tea on the <a href="/teas/">tea list</a> takes its place.</p>
    <table>
      <thead><tr><th>Tea</th><th>Pot</th><th>A cup</th></tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </main></div>`;
