// Listings are parts of functions: their common indentation says nothing here.
for (const code of document.querySelectorAll("pre > code")) {
    const lines = code.textContent.split("\n").filter((line) => line.trim());
    const margin = Math.min(...lines.map((line) => line.search(/\S/)));
    if (margin > 0 && Number.isFinite(margin)) {
        code.innerHTML = code.innerHTML.replace(new RegExp(`^ {${margin}}`, "gm"), "");
    }
}
