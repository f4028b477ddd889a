// The page of a phone that acts as a camera: its name, its picture, the tally, and the phone's own controls.

import { addWords, say } from "./words.js";
import { h, setAttribute, setText } from "./dom.js";
import { playTime } from "./numbers.js";
import { PhoneCamera } from "./phone-camera.js";
import { PhoneControls, sizes } from "./phone-controls.js";
import { PhoneKeeper } from "./phone-keeper.js";
import { PhoneLink } from "./phone-link.js";
import { PhoneMicrophone } from "./phone-microphone.js";
import { store, stored } from "./stored.js";

addWords({
    "phone-title": ["Use this phone as a camera", "Dieses Telefon als Kamera"],
    "own-picture": ["Camera picture", "Kamerabild"],
    "camera-controls": ["Camera", "Kamera"],
    "phone-name": ["Camera name", "Name der Kamera"],
    "phone-name-hint": ["Letters, digits, - and _", "Buchstaben, Ziffern, - und _"],
    lens: ["Camera", "Kamera"],
    "lens-back": ["Back", "Rückseite"],
    "lens-front": ["Front", "Vorderseite"],
    resolution: ["Resolution", "Auflösung"],
    "with-sound": ["Send microphone audio", "Ton des Mikrofons senden"],
    begin: ["Start camera", "Kamera starten"],
    "end-camera": ["Stop camera", "Kamera beenden"],
    "phone-recorded": ["RECORDING", "AUFNAHME"],
    "phone-not-recorded": ["NOT RECORDED", "KEINE AUFNAHME"],
    "phone-no-contact": ["DISCONNECTED", "GETRENNT"],
    "phone-off": ["CAMERA OFF", "KAMERA AUS"],
    "phone-waits": ["Connecting to the control room…", "Verbindung zur Regie wird hergestellt…"],
    "phone-unused": ["Connected as {selector}. No profile uses this phone yet.", "Verbunden als {selector}. Noch kein Profil verwendet dieses Telefon."],
    "phone-used": ["This phone is camera {role}.", "Dieses Telefon ist Kamera {role}."],
    "phone-times": ["Timing accuracy: ± {error} ms.", "Zeitgenauigkeit: ± {error} ms."],
    "phone-asks": ["Allow camera and microphone access in the browser.", "Im Browser den Zugriff auf Kamera und Mikrofon erlauben."],
    "phone-no-token": ["Scan the code under “Add a phone” in the control room again.", "Den Code unter „Telefon hinzufügen“ in der Regie erneut scannen."],
    "phone-insecure": ["Browsers allow camera access only over HTTPS. Open the link that starts with https://.", "Browser erlauben den Kamerazugriff nur über HTTPS. Den Link öffnen, der mit https:// beginnt."],
    "phone-denied": ["Can't use the camera: {what}. Allow camera access in the browser settings for this page, then try again.", "Die Kamera kann nicht verwendet werden: {what}. Den Kamerazugriff in den Browser-Einstellungen dieser Seite erlauben und erneut versuchen."],
    "phone-no-sound": ["Can't use the microphone: {what}.", "Das Mikrofon kann nicht verwendet werden: {what}."],
    "phone-encoder": ["This browser can't encode the camera's video: {what}. Choose another resolution or camera.", "Dieser Browser kann das Kamerabild nicht kodieren: {what}. Andere Auflösung oder Kamera wählen."],
    "phone-ended": ["The browser stopped the camera. Another app may be using it.", "Der Browser hat die Kamera gestoppt. Möglicherweise verwendet sie eine andere App."],
    "phone-sound-ended": ["The browser stopped the microphone; a phone call may be using it. The video continues without audio. Press “Stop camera”, then start the camera again.",
        "Der Browser hat das Mikrofon gestoppt, möglicherweise wegen eines Anrufs. Das Bild läuft ohne Ton weiter. „Kamera beenden“ drücken und neu starten."],
    "phone-both-muted": ["Video and audio were interrupted, for example by a phone call. Both resume automatically.",
        "Bild und Ton sind unterbrochen, zum Beispiel durch einen Anruf. Sie laufen automatisch weiter."],
    "phone-picture-muted": ["The video was interrupted; another app may be using the camera. Video resumes automatically.",
        "Das Bild ist unterbrochen. Möglicherweise verwendet eine andere App die Kamera. Es läuft automatisch weiter."],
    "phone-sound-muted": ["The audio was interrupted; a phone call may be using the microphone. Audio resumes automatically.",
        "Der Ton ist unterbrochen, möglicherweise durch einen Anruf. Er läuft automatisch weiter."],
    "phone-hidden": ["Keep this page in the foreground. The browser stops the camera when the page is hidden.", "Diese Seite im Vordergrund lassen. Der Browser stoppt die Kamera, wenn die Seite verdeckt ist."],
    "phone-keeps": ["The control room is unreachable. This phone stores the recording until the connection is restored.", "Die Regie ist nicht erreichbar. Dieses Telefon speichert die Aufnahme, bis die Verbindung wieder besteht."],
    "phone-kept": ["Uploading the recording stored on this phone: {percent} %.", "Die auf diesem Telefon gespeicherte Aufnahme wird hochgeladen: {percent} %."],
    "phone-kept-waits": ["A recording stored on this phone can't be uploaded yet: {what}", "Eine auf diesem Telefon gespeicherte Aufnahme kann noch nicht hochgeladen werden: {what}"],
    "phone-kept-off": ["A recording is stored on this phone. Start the camera to upload it.", "Auf diesem Telefon ist eine Aufnahme gespeichert. Die Kamera starten, um sie hochzuladen."],
    "phone-discard": ["Discard stored recording", "Aufnahme verwerfen"],
    "phone-slow": ["The network is too slow; some frames are being dropped.", "Das Netz ist zu langsam. Einige Bilder werden ausgelassen."],
});

const rate = 30;
const tokenName = "multicam.phone-token";

/** @param {string} id */
function place(id) {
    return /** @type {HTMLElement} */ (document.getElementById(id));
}

for (const element of document.querySelectorAll("[data-say]")) element.textContent = say(/** @type {HTMLElement} */ (element).dataset.say ?? "");
for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", say(/** @type {HTMLElement} */ (element).dataset.label ?? ""));
document.title = say("phone-title");

// Store the token, so that the page can be reopened without the QR code, and remove the fragment from the address.
const fragment = new URLSearchParams(location.hash.slice(1));
const told = fragment.get("token");
if (told) {
    store(tokenName, told);
    history.replaceState(null, "", location.pathname + location.search);
}
addEventListener("hashchange", () => {
    if (location.hash.includes("token=")) location.reload();
});
const token = told ?? stored(tokenName) ?? "";

/** A persistent key by which the web process recognizes this phone. */
function ownKey() {
    let key = stored("multicam.phone-key");
    if (!key) {
        key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        store("multicam.phone-key", key);
    }
    return key;
}

const video = /** @type {HTMLVideoElement} */ (document.getElementById("phone-video"));
const [picture, tally, form, foot] = ["phone-picture", "phone-tally", "phone-form", "phone-foot"].map(place);
const message = place("phone-message");

const keeper = new PhoneKeeper();
keeper.onChange = () => update();

const controls = new PhoneControls(place("phone-controls"));
controls.openLens = switchTo;
controls.onRefused = tellSentence;
controls.onChange = () => link?.tell(controls.controls);

/** @type {MediaStream | undefined} */
let stream;
/** @type {PhoneCamera | undefined} */
let camera;
/** @type {PhoneMicrophone | undefined} */
let microphone;
/** @type {PhoneLink | undefined} */
let link;
/** @type {import("./phone-link.js").PhoneState | undefined} */
let state;
let isThere = false;
let slowUntil = 0;
let sentence = "";
/** @type {any} */
let wakeLock;
/**
 * Time when the browser interrupted the video, from `performance.now()`.
 * @type {number | undefined}
 */
let mutedAt;
const plate = h("span", { class: "plate", "data-plate": "signal", hidden: true });
picture?.append(plate);

// Before the phone acts as a camera

const name = h("input", { type: "text", id: "phone-name", maxlength: "32", required: true, pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]*", autocomplete: "off", autocapitalize: "off", title: say("phone-name-hint") });
const lens = h("select", { id: "phone-lens" }, h("option", { value: "environment" }, say("lens-back")), h("option", { value: "user" }, say("lens-front")));
const size = h("select", { id: "phone-size" }, ...sizes.map((text) => h("option", { value: text }, text.replace("x", " × "))));
const sound = h("input", { type: "checkbox", id: "phone-sound" });
const begin = h("button", { type: "submit", class: "strong" }, say("begin"));
// The control room puts the name that the profile expects into the link.
name.value = fragment.get("name") ?? stored("multicam.phone-name") ?? "phone";
lens.value = stored("multicam.phone-lens") ?? "environment";
size.value = stored("multicam.phone-size") ?? "1280x720";
sound.checked = stored("multicam.phone-sound") !== "no";
form?.append(
    h("label", { for: "phone-name" }, say("phone-name")), name, h("label", { for: "phone-lens" }, say("lens")), lens,
    h("label", { for: "phone-size" }, say("resolution")), size, h("label", { class: "phone-check" }, sound, say("with-sound")), begin);
form?.addEventListener("submit", (event) => {
    event.preventDefault();
    void start();
});
const discard = h("button", { type: "button", id: "phone-discard", hidden: true, onclick: () => void keeper.discard() }, say("phone-discard"));
foot?.append(discard, h("button", { type: "button", onclick: () => stop("") }, say("end-camera")));

async function start() {
    store("multicam.phone-name", name.value);
    store("multicam.phone-lens", lens.value);
    store("multicam.phone-size", size.value);
    store("multicam.phone-sound", sound.checked ? "yes" : "no");
    controls.size = size.value;
    begin.disabled = true;
    tellSentence(say("phone-asks"));
    try {
        await open();
    } catch (error) {
        stop(say("phone-denied", { what: error instanceof Error ? error.message || error.name : String(error) }));
    }
}

/** @param {Record<string, unknown>} which */
function wish(which) {
    const [width, height] = controls.size.split("x").map(Number);
    return { ...which, width: { ideal: width }, height: { ideal: height }, frameRate: { ideal: rate } };
}

async function open() {
    const audio = { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 1 };
    const camerasWish = wish({ facingMode: lens.value });
    let lack = "";
    try {
        stream = await navigator.mediaDevices.getUserMedia({ video: camerasWish, audio: sound.checked ? audio : false });
    } catch (error) {
        if (!sound.checked) throw error;
        // A camera is usable without a microphone.
        stream = await navigator.mediaDevices.getUserMedia({ video: camerasWish });
        lack = say("phone-no-sound", { what: error instanceof Error ? error.message || error.name : "" });
    }
    video.srcObject = stream;
    await video.play();
    const [track] = stream.getVideoTracks();
    if (!track) throw new Error("no video track");
    camera = new PhoneCamera(track, video, Math.round(track.getSettings().frameRate ?? rate) || rate);
    const { dated, ...format } = await camera.format;
    let lacksKey = true;
    /** @type {{rate: number, channels: number} | undefined} */
    let audioFormat;
    if (stream.getAudioTracks().length > 0) {
        microphone = new PhoneMicrophone();
        audioFormat = await microphone.start(stream);
    }
    link = new PhoneLink(token, { name: name.value, key: ownKey(), video: format, audio: audioFormat, dated });
    const [itsCamera, itsLink] = [camera, link];
    keeper.link = link;
    itsLink.onState = (told) => {
        state = told;
        keeper.follow(told.recording, told.role, format);
        update();
    };
    itsLink.onContact = (there) => {
        isThere = there;
        if (there) itsLink.tell(controls.controls);
        else {
            state = undefined;
            keeper.lose();
        }
        update();
    };
    itsLink.onDate = (offset, error) => keeper.date(offset, error);
    itsLink.onSet = async (number, values) => {
        const refused = await controls.obey(values);
        itsLink.tell(controls.controls, number, refused);
    };
    itsLink.onReceipt = (receipt) => keeper.take(receipt);
    itsLink.onRefused = (text) => stop(text);
    itsCamera.onFault = (what) => {
        itsLink.fault(`the browser can't encode the camera's video: ${what}`);
        stop(say("phone-encoder", { what }));
    };
    itsLink.onKey = () => itsCamera.key();
    itsCamera.isWanted = () => {
        if (itsLink.isFull) slowUntil = performance.now() + 3000;
        return keeper.isKeeping || (itsLink.isWelcome && !itsLink.isFull);
    };
    itsCamera.onFrame = (frame) => {
        keeper.add(frame);
        const hasRoom = itsLink.isWelcome && !itsLink.isFull;
        if (hasRoom && (frame.isKey || !lacksKey) && itsLink.send(frame)) {
            lacksKey = false;
            return;
        }
        keeper.miss();
        lacksKey = true;
        // After a frame that wasn't sent, no frame can be decoded until the next key frame.
        if (hasRoom) itsCamera.key();
    };
    if (microphone) microphone.onAudio = (piece) => void itsLink.send(piece);
    sentence = lack;
    itsLink.start();
    watch(track);
    void controls.use(track);
    await keepAwake();
    update();
}

/**
 * Stops acting as a camera when the browser ends the track. Tracks that the page itself has stopped are ignored.
 * @param {MediaStreamTrack} track
 */
function watch(track) {
    track.addEventListener("ended", () => {
        if (!stream?.getTracks().includes(track)) return;
        link?.fault("the browser stopped the camera");
        stop(say("phone-ended"));
    });
}

/** @param {string} text reason, shown to the user */
function stop(text) {
    link?.end();
    camera?.end();
    microphone?.end();
    for (const track of stream?.getTracks() ?? []) track.stop();
    video.srcObject = null;
    keeper.link = undefined;
    keeper.follow(undefined, undefined, {});
    keeper.lose();
    controls.end();
    [stream, camera, microphone, link, state, isThere] = [undefined, undefined, undefined, undefined, undefined, false];
    begin.disabled = false;
    void wakeLock?.release();
    wakeLock = undefined;
    sentence = text;
    update();
}

async function keepAwake() {
    try {
        wakeLock = await /** @type {any} */ (navigator).wakeLock?.request("screen");
    } catch {
        // Without a wake lock, the screen may turn off. In this case, the user must keep the screen on.
    }
}

document.addEventListener("visibilitychange", () => {
    if (!link) return;
    if (document.hidden) {
        sentence = say("phone-hidden");
    } else {
        void keepAwake();
        camera?.key();
    }
    update();
});

// While the phone acts as a camera

/**
 * Switches to another camera of the phone. If that camera can't be opened, the current camera is opened again.
 * @param {string} deviceId
 */
async function switchTo(deviceId) {
    const [former] = stream?.getVideoTracks() ?? [];
    const before = former?.getSettings().deviceId;
    // Most phones can open only one camera at a time.
    former?.stop();
    try {
        await useLens(deviceId);
    } catch (error) {
        if (before && before !== deviceId) await useLens(before);
        throw error;
    }
}

/** @param {string} deviceId */
async function useLens(deviceId) {
    const [track] = (await navigator.mediaDevices.getUserMedia({ video: wish({ deviceId: { exact: deviceId } }) })).getVideoTracks();
    if (!track) throw new Error("no video track");
    if (!stream || !camera) return track.stop();
    for (const former of stream.getVideoTracks()) stream.removeTrack(former);
    stream.addTrack(track);
    camera.use(track);
    camera.key();
    watch(track);
    return controls.use(track);
}

// Display

/** @param {string} text */
function tellSentence(text) {
    sentence = text;
    update();
}

function update() {
    const isCamera = link !== undefined;
    const isUsed = isThere && state?.role !== undefined;
    const isRecorded = isUsed && (state?.state === "recording" || state?.state === "finishing");
    const kind = !isCamera ? "off" : !isThere ? "contact" : isRecorded ? "recording" : "idle";
    const words = { off: "phone-off", contact: "phone-no-contact", recording: "phone-recorded", idle: "phone-not-recorded" }[kind];
    setText(place("phone-state"), say(words));
    place("phone-state").dataset.state = kind;
    if (form) form.hidden = isCamera || token === "" || !window.isSecureContext;
    if (picture) picture.hidden = stream === undefined;
    const isMuted = stream?.getVideoTracks()[0]?.muted === true;
    mutedAt = isMuted ? mutedAt ?? performance.now() : undefined;
    plate.hidden = mutedAt === undefined;
    setText(plate, mutedAt === undefined ? "" : `${say("plate-signal")} ${playTime((performance.now() - mutedAt) / 1000)}`);
    if (foot) foot.hidden = !isCamera;
    const onAir = isUsed ? state?.tally ?? "off" : "off";
    const frame = onAir !== "off" ? (isRecorded ? "air" : "program") : isUsed && state?.next ? "next" : "none";
    if (picture) picture.dataset.frame = frame;
    if (tally) {
        const isInset = onAir === "inset";
        const isPaused = onAir !== "off" && state?.paused === true;
        setText(tally, isPaused ? say("plate-paused") : frame === "air" ? say(isInset ? "on-air-inset" : "on-air") : frame === "program" ? say(isInset ? "in-program-inset" : "in-program") : frame === "next" ? say("next-badge") : "");
        tally.hidden = frame === "none";
        tally.dataset.frame = isPaused ? "paused" : frame;
    }
    document.documentElement.dataset.state = kind;
    document.documentElement.dataset.role = state?.role ?? "";
    setText(message, text());
    discard.hidden = keeper.kept.length === 0 || keeper.isKeeping;
    setAttribute(message, "data-attention", isCamera && (!isThere || performance.now() < slowUntil || state?.text || lack()) ? "" : undefined);
}

/** Why the picture or the sound is currently missing. Checked once per second. */
function lack() {
    const [picture] = stream?.getVideoTracks() ?? [];
    const [sound] = stream?.getAudioTracks() ?? [];
    if (picture?.muted) return say(sound?.muted ? "phone-both-muted" : "phone-picture-muted");
    if (sound?.readyState === "ended") return say("phone-sound-ended");
    return sound?.muted ? say("phone-sound-muted") : "";
}

function text() {
    if (!window.isSecureContext) return say("phone-insecure");
    if (token === "") return say("phone-no-token");
    if (!link) return sentence || (keeper.kept.length > 0 ? say("phone-kept-off") : "");
    if (!isThere) return [say("phone-waits"), keeper.isKeeping ? say("phone-keeps") : ""].filter(Boolean).join(" ");
    if (state?.text) return state.text;
    if (lack()) return lack();
    if (performance.now() < slowUntil) return say("phone-slow");
    if (keeper.kept.length > 0 && state?.recording === undefined)
        return keeper.text ? say("phone-kept-waits", { what: keeper.text }) : say("phone-kept", { percent: Math.floor(keeper.share * 100) });
    if (state?.role === undefined) return [say("phone-unused", { selector: `phone:${name.value}` }), sentence].filter(Boolean).join(" ");
    const times = state.error_us === undefined ? "" : say("phone-times", { error: Math.ceil(state.error_us / 1000) });
    return [say("phone-used", { role: state.role }), times, sentence].filter(Boolean).join(" ");
}

setInterval(update, 1000);
update();
