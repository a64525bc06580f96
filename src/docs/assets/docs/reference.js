// Sends the reference's forms. The key is kept for this tab.
const storedKey = "reference-key";
const keyInput = document.querySelector("#key");
keyInput.value = sessionStorage.getItem(storedKey) ?? document.currentScript.dataset.key;
keyInput.addEventListener("input", () => sessionStorage.setItem(storedKey, keyInput.value));

/** More of a response than this many characters is not shown. */
const maximumShown = 200_000;

/** Returns the request that a form describes. Inputs without a value are not sent. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = new Headers();
  let body;
  if (keyInput.value !== "") {
    headers.set("Authorization", `Bearer ${keyInput.value}`);
  }
  for (const { name, value, dataset } of form.elements) {
    if (value === "" || dataset.in === undefined) {
      continue;
    }
    const values = dataset.list === undefined ? [value] : value.split(",");
    if (dataset.in === "path") {
      path = path.replace(`{${name}}`, encodeURIComponent(value));
    } else if (dataset.in === "query") {
      values.forEach((one) => {
        query.append(name, one.trim());
      });
    } else if (dataset.in === "header") {
      headers.set(name, value);
    } else {
      headers.set("Content-Type", dataset.type);
      body = value;
    }
  }
  const url = query.size === 0 ? path : `${path}?${query}`;
  return { url, options: { method: form.dataset.method, headers, body } };
}

/** Shows a status line, and a text that can be scrolled with the keyboard. */
function show(output, status, text) {
  const line = document.createElement("p");
  const isCut = text.length > maximumShown;
  line.textContent = isCut ? `${status}, the first ${maximumShown} characters` : status;
  const content = document.createElement("pre");
  content.tabIndex = 0;
  content.textContent = text.slice(0, maximumShown);
  output.replaceChildren(line, ...(text === "" ? [] : [content]));
}

function indented(text, type) {
  try {
    return type.includes("json") ? JSON.stringify(JSON.parse(text), null, 2) : text;
  } catch {
    return text;
  }
}

async function send(form) {
  const output = form.querySelector("output");
  let line = `${form.dataset.method} ${form.dataset.path}`;
  try {
    // A key or a header that HTTP cannot transport throws.
    const { url, options } = requestOf(form);
    line = `${options.method} ${url}`;
    show(output, `${line} …`, "");
    const start = performance.now();
    const response = await fetch(url, options);
    const text = await response.text();
    const duration = Math.round(performance.now() - start);
    const status = `${response.status} ${response.statusText}`.trim();
    const type = response.headers.get("Content-Type") ?? "";
    show(output, `${line}: ${status}, ${duration} ms`, indented(text, type));
  } catch (error) {
    show(output, `${line}: ${error.message}`, "");
  }
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target);
});
