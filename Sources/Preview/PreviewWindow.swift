internal import CSDL
internal import Encoding
internal import Glibc
internal import Media
internal import Studio

/// The window: shows the latest frame whole, with black beside it, or a slate with a sentence. Belongs to the main thread, as SDL wants
/// it, and sleeps while there is nothing new.
final class PreviewWindow {
    private let window: OpaquePointer
    private let renderer: OpaquePointer
    private let link: PreviewLink
    private let wakeUp: PreviewWakeUp
    private var texture: PreviewTexture?
    /// The slate that was drawn last, for which notice and size.
    private var slate: (notice: PreviewScene.Notice, frame: CapturedFrame)?
    private var title = ""
    private var isFullScreen: Bool

    /// Size of the window before somebody changes it.
    private static let size = FrameSize(width: 960, height: 540)

    /// Opens the window.
    ///
    /// - Parameter settings: What to show, and where.
    /// - Throws: `PreviewError` where there is no display, or not the one that is asked for.
    init(_ settings: PreviewSettings) throws(PreviewError) {
        // Titles are in UTF-8, which X takes in such a locale alone.
        setlocale(LC_CTYPE, "C.UTF-8")
        SDL_SetHint(SDL_HINT_APP_NAME, "multicam")
        // The monitor's picture stays while its user works in another window.
        SDL_SetHint(SDL_HINT_VIDEO_MINIMIZE_ON_FOCUS_LOSS, "0")
        SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear")
        SDL_SetMainReady()
        guard SDL_Init(SDL_INIT_VIDEO) == 0, Self.hasDisplay else {
            SDL_Quit()
            throw PreviewError(
                "there is no display to open a window at: neither WAYLAND_DISPLAY nor DISPLAY names one. Run it in a desktop, or show the control room's page on another computer: `multicam studio --listen ADDRESS`.",
                status: 1)
        }
        isFullScreen = settings.isFullScreen
        let place = try Self.place(on: settings.display)
        let flags =
            SDL_WINDOW_RESIZABLE.rawValue | SDL_WINDOW_ALLOW_HIGHDPI.rawValue
            | (isFullScreen ? SDL_WINDOW_FULLSCREEN_DESKTOP.rawValue : 0)
        guard
            let window = SDL_CreateWindow(
                "multicam", place, place, Int32(Self.size.width), Int32(Self.size.height), flags)
        else { throw Self.failure("the window cannot be opened") }
        self.window = window
        let renderer =
            SDL_CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC.rawValue)
            ?? SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE.rawValue)
        guard let renderer else {
            SDL_DestroyWindow(window)
            throw Self.failure("nothing can be drawn in the window")
        }
        self.renderer = renderer
        let wakeUp = PreviewWakeUp()
        self.wakeUp = wakeUp
        link = PreviewLink(role: settings.role, process: settings.process) { wakeUp.wake() }
        SDL_ShowCursor(isFullScreen ? SDL_DISABLE : SDL_ENABLE)
    }

    deinit {
        link.close()
        texture = nil
        SDL_DestroyRenderer(renderer)
        SDL_DestroyWindow(window)
        SDL_Quit()
    }

    /// Where there is none, SDL draws into memory, unless the environment says otherwise.
    private static var hasDisplay: Bool {
        guard SDL_GetHint(SDL_HINT_VIDEODRIVER) == nil, let name = SDL_GetCurrentVideoDriver() else {
            return SDL_GetNumVideoDisplays() > 0
        }
        return !["offscreen", "dummy", "evdev"].contains(String(cString: name))
            && SDL_GetNumVideoDisplays() > 0
    }

    private static func place(on display: Int?) throws(PreviewError) -> Int32 {
        guard let display else { return sdl_window_centered(0) }
        let count = Int(SDL_GetNumVideoDisplays())
        guard (1...max(count, 1)).contains(display) else {
            let names = (0..<count).map { index in
                let name = SDL_GetDisplayName(Int32(index)).map { String(cString: $0).printable(limit: 60) }
                return "\(index + 1)\(name.map { " (\($0))" } ?? "")"
            }
            SDL_Quit()
            throw PreviewError(
                "`--display \(display)`: there is no such display; expected \(names.joined(separator: ", ")).",
                status: 2)
        }
        return sdl_window_centered(Int32(display - 1))
    }

    private static func failure(_ what: String) -> PreviewError {
        let reason = String(cString: SDL_GetError()).printable(limit: 400)
        SDL_Quit()
        return PreviewError("\(what): \(reason.isEmpty ? "the system does not say why" : reason).", status: 1)
    }

    // MARK: Events

    /// Shows what comes, until the window is closed. Blocks the main thread.
    func run() {
        draw()
        var event = SDL_Event()
        while SDL_WaitEvent(&event) != 0 {
            var isStale = false
            repeat {
                switch take(event) {
                case .nothing: break
                case .drawing: isStale = true
                case .end: return
                }
            } while SDL_PollEvent(&event) != 0
            if isStale { draw() }
        }
    }

    private enum Consequence {
        case nothing
        case drawing
        case end
    }

    private func take(_ event: SDL_Event) -> Consequence {
        switch event.type {
        case SDL_QUIT.rawValue: return .end
        case SDL_KEYDOWN.rawValue where event.key.repeat == 0:
            switch Int(event.key.keysym.sym) {
            case Int(SDLK_ESCAPE.rawValue), Int(SDLK_q.rawValue): return .end
            case Int(SDLK_f.rawValue):
                toggleFullScreen()
                return .drawing
            default: return .nothing
            }
        case SDL_WINDOWEVENT.rawValue:
            switch Int(event.window.event) {
            case Int(SDL_WINDOWEVENT_HIDDEN.rawValue), Int(SDL_WINDOWEVENT_MINIMIZED.rawValue):
                link.setVisible(false)
                return .nothing
            case Int(SDL_WINDOWEVENT_SHOWN.rawValue), Int(SDL_WINDOWEVENT_RESTORED.rawValue),
                Int(SDL_WINDOWEVENT_MAXIMIZED.rawValue):
                link.setVisible(true)
                return .drawing
            default: return .drawing
            }
        // The graphics processor has forgotten all textures.
        case SDL_RENDER_TARGETS_RESET.rawValue, SDL_RENDER_DEVICE_RESET.rawValue:
            texture = nil
            return .drawing
        case wakeUp.type:
            wakeUp.forget()
            return .drawing
        default: return .nothing
        }
    }

    private func toggleFullScreen() {
        isFullScreen.toggle()
        _ = SDL_SetWindowFullscreen(window, isFullScreen ? SDL_WINDOW_FULLSCREEN_DESKTOP.rawValue : 0)
        SDL_ShowCursor(isFullScreen ? SDL_DISABLE : SDL_ENABLE)
    }

    // MARK: Drawing

    private func draw() {
        let (scene, frame) = link.latest()
        if scene.title != title {
            title = scene.title
            SDL_SetWindowTitle(window, title)
        }
        var (width, height): (Int32, Int32) = (0, 0)
        guard SDL_GetRendererOutputSize(renderer, &width, &height) == 0, width > 1, height > 1 else { return }
        let size = FrameSize(width: Int(width), height: Int(height))
        SDL_SetRenderDrawColor(renderer, 0, 0, 0, 255)
        SDL_RenderClear(renderer)
        if let notice = scene.notice {
            show(
                slate(notice, of: scene, size), PreviewFit(size, rotation: .none, isMirrored: false, in: size)
            )
        } else if let frame {
            let fit = PreviewFit(
                frame.size, rotation: scene.rotation, isMirrored: scene.isMirrored, in: size)
            show(frame, fit)
        }
        SDL_RenderPresent(renderer)
    }

    private func slate(_ notice: PreviewScene.Notice, of scene: PreviewScene, _ size: FrameSize)
        -> CapturedFrame
    {
        if let slate, slate.notice == notice, slate.frame.size == size { return slate.frame }
        let caption = SlateCaption(role: scene.name, device: notice.fact, complaint: notice.outlook)
        let frame = SlateFrame.frame(caption, size: size)
        slate = (notice, frame)
        return frame
    }

    private func show(_ frame: CapturedFrame, _ fit: PreviewFit) {
        if texture?.fits(frame) != true { texture = PreviewTexture(frame, renderer) }
        texture?.show(frame, fit)
    }
}
