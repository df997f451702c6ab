// A browser starts no worker from a file. Where the site is read from disk, its search runs in a hidden frame instead.
// The name of this file tells the site builder that such a stand-in is here; otherwise it would fetch one from another host.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      const inside = this.frame.contentWindow
      inside.postMessage = (data) => this.receive(new MessageEvent("message", { data: structuredClone(data) }))
      inside.importScripts = () => {}
      const script = this.frame.contentDocument.createElement("script")
      script.src = new URL(url, location).href
      this.ready = new Promise((loaded, failed) => {
        script.onload = loaded
        script.onerror = () => failed(new Error(`cannot load ${script.src}`))
      })
      this.ready.catch((error) => this.onerror?.(error))
      this.frame.contentDocument.body.append(script)
    }

    receive(event) {
      this.onmessage?.(event)
      this.dispatchEvent(event)
    }

    postMessage(data) {
      const event = new MessageEvent("message", { data: structuredClone(data) })
      this.ready.then(() => this.frame.contentWindow?.dispatchEvent(event), () => {})
    }

    terminate() {
      this.frame.remove()
    }
  }
}
