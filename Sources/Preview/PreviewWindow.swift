internal import CMulticamSDL
internal import Glibc
internal import MulticamEncoding
internal import MulticamMedia
internal import MulticamStudio

/// The preview window, which shows the latest frame uncropped with black bars, or a slate with a notice. As SDL
/// requires, the window is used only on the main thread, which sleeps while there is nothing new to show.
final class PreviewWindow {
    private let window: OpaquePointer
    private let renderer: OpaquePointer
    private let client: PreviewClient
    private let wakeUp: PreviewWakeUp
    private var texture: PreviewTexture?
    /// The last slate drawn, with its notice and size.
    private var slate: (notice: PreviewScene.Notice, frame: CapturedFrame)?
    private var title = ""
    private var isFullScreen: Bool

    /// Initial size of the window.
    private static let size = FrameSize(width: 960, height: 540)

    /// Opens the window.
    ///
    /// - Parameter settings: The source and the display.
    /// - Throws: `PreviewError` if no display is available or the requested display doesn't exist.
    init(_ settings: PreviewSettings) throws(PreviewError) {
        // Window titles are in UTF-8, which X accepts only in a UTF-8 locale.
        setlocale(LC_CTYPE, "C.UTF-8")
        SDL_SetHint(SDL_HINT_APP_NAME, "multicam")
        // This hint keeps the full-screen picture visible while the user works in another window.
        SDL_SetHint(SDL_HINT_VIDEO_MINIMIZE_ON_FOCUS_LOSS, "0")
        SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear")
        SDL_SetMainReady()
        guard SDL_Init(SDL_INIT_VIDEO) == 0, Self.hasDisplay else {
            SDL_Quit()
            throw PreviewError(
                "No display is available: neither WAYLAND_DISPLAY nor DISPLAY is set. Run the command in a desktop session, or open the control room on another computer: `multicam studio --listen ADDRESS`.",
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
        else { throw Self.sdlError("The window can't be opened") }
        self.window = window
        let renderer =
            SDL_CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC.rawValue)
            ?? SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE.rawValue)
        guard let renderer else {
            SDL_DestroyWindow(window)
            throw Self.sdlError("The window can't be displayed")
        }
        self.renderer = renderer
        let wakeUp = PreviewWakeUp()
        self.wakeUp = wakeUp
        client = PreviewClient(role: settings.role, process: settings.process) { wakeUp.post() }
        SDL_ShowCursor(isFullScreen ? SDL_DISABLE : SDL_ENABLE)
    }

    deinit {
        client.close()
        texture = nil
        SDL_DestroyRenderer(renderer)
        SDL_DestroyWindow(window)
        SDL_Quit()
    }

    /// Whether SDL has a display. Without a display, SDL renders to memory unless the environment specifies
    /// another driver.
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
                "`--display \(display)`: this display does not exist. Available displays: \(names.joined(separator: ", ")).",
                status: 2)
        }
        return sdl_window_centered(Int32(display - 1))
    }

    private static func sdlError(_ what: String) -> PreviewError {
        let reason = String(cString: SDL_GetError()).printable(limit: 400)
        SDL_Quit()
        return PreviewError("\(what): \(reason.isEmpty ? "unknown error" : reason).", status: 1)
    }

    // MARK: Events

    /// Shows the source until the window is closed. The call blocks the main thread.
    func run() {
        draw()
        var event = SDL_Event()
        while SDL_WaitEvent(&event) != 0 {
            var isStale = false
            repeat {
                switch handle(event) {
                case .nothing: break
                case .drawing: isStale = true
                case .end: return
                }
            } while SDL_PollEvent(&event) != 0
            if isStale { draw() }
        }
    }

    private enum EventOutcome {
        case nothing
        case drawing
        case end
    }

    private func handle(_ event: SDL_Event) -> EventOutcome {
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
                client.setVisible(false)
                return .nothing
            case Int(SDL_WINDOWEVENT_SHOWN.rawValue), Int(SDL_WINDOWEVENT_RESTORED.rawValue),
                Int(SDL_WINDOWEVENT_MAXIMIZED.rawValue):
                client.setVisible(true)
                return .drawing
            default: return .drawing
            }
        // These events report that all textures on the GPU are lost.
        case SDL_RENDER_TARGETS_RESET.rawValue, SDL_RENDER_DEVICE_RESET.rawValue:
            texture = nil
            return .drawing
        case wakeUp.type:
            wakeUp.reset()
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
        let (scene, frame) = client.latest()
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
        let frame = SlateFrame.makeFrame(caption, size: size)
        slate = (notice, frame)
        return frame
    }

    private func show(_ frame: CapturedFrame, _ fit: PreviewFit) {
        if texture?.fits(frame) != true { texture = PreviewTexture(frame, renderer) }
        texture?.show(frame, fit)
    }
}

/// A GPU texture that converts luma and chroma to RGB. The texture is used only on the main thread.
final class PreviewTexture {
    private let texture: OpaquePointer
    private let renderer: OpaquePointer
    private let pixel: PixelFormat
    private let size: FrameSize

    /// Creates a texture for frames with the format and size of a given frame. Returns `nil` if the GPU is
    /// out of memory or doesn't support the format.
    init?(_ frame: CapturedFrame, _ renderer: OpaquePointer) {
        guard let format = Self.format(of: frame.pixel),
            let texture = SDL_CreateTexture(
                renderer, format, Int32(SDL_TEXTUREACCESS_STREAMING.rawValue), Int32(frame.size.width),
                Int32(frame.size.height))
        else { return nil }
        SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_NONE)
        (self.texture, self.renderer, pixel, size) = (texture, renderer, frame.pixel, frame.size)
    }

    deinit { SDL_DestroyTexture(texture) }

    private static func format(of pixel: PixelFormat) -> UInt32? {
        switch pixel {
        case .i420: SDL_PIXELFORMAT_IYUV.rawValue
        case .nv12: SDL_PIXELFORMAT_NV12.rawValue
        case .yuyv: SDL_PIXELFORMAT_YUY2.rawValue
        case .uyvy: SDL_PIXELFORMAT_UYVY.rawValue
        // The names of SDL's formats list the bytes of a 32-bit integer, starting with the most significant
        // byte.
        case .bgra: SDL_PIXELFORMAT_ARGB8888.rawValue
        case .mjpeg, .h264, .i422, .grey, .converted: nil
        }
    }

    /// Whether a frame has the format and size of this texture.
    func fits(_ frame: CapturedFrame) -> Bool { frame.pixel == pixel && frame.size == size }

    /// Draws a frame that fits this texture.
    func show(_ frame: CapturedFrame, _ fit: PreviewFit) {
        SDL_SetYUVConversionMode(Self.mode(of: frame.color))
        fill(frame)
        var target = SDL_Rect(
            x: Int32(fit.x), y: Int32(fit.y), w: Int32(fit.width), h: Int32(fit.height))
        SDL_RenderCopyEx(
            renderer, texture, nil, &target, Double(fit.degrees), nil,
            fit.isMirrored ? SDL_FLIP_HORIZONTAL : SDL_FLIP_NONE)
    }

    private func fill(_ frame: CapturedFrame) {
        let strides = frame.planes.map { Int32($0.stride) }
        withExtendedLifetime(frame) {
            switch (pixel, strides.count) {
            case (.i420, 3):
                SDL_UpdateYUVTexture(
                    texture, nil, frame.startOfPlane(0), strides[0], frame.startOfPlane(1), strides[1],
                    frame.startOfPlane(2),
                    strides[2])
            case (.nv12, 2):
                SDL_UpdateNVTexture(
                    texture, nil, frame.startOfPlane(0), strides[0], frame.startOfPlane(1), strides[1])
            case (_, 1): SDL_UpdateTexture(texture, nil, frame.startOfPlane(0), strides[0])
            default: break
            }
        }
    }

    /// Returns SDL's conversion mode for a color description. SDL doesn't support full-range BT.709. The BT.601 matrix
    /// causes a slight color error, but the wrong range would show black as gray.
    private static func mode(of color: ColorDescription) -> SDL_YUV_CONVERSION_MODE {
        switch (color.range, color.matrix) {
        case (.full, _): SDL_YUV_CONVERSION_JPEG
        case (.limited, .bt601): SDL_YUV_CONVERSION_BT601
        case (.limited, .bt709): SDL_YUV_CONVERSION_BT709
        }
    }
}

/// An SDL event that makes the window check for new content. Any thread may send this event. Until the window has
/// checked, further events are suppressed.
final class PreviewWakeUp: Sendable {
    /// SDL's number for the event type.
    let type: UInt32
    private let isPending = ConditionLock(false)

    init() { type = SDL_RegisterEvents(1) }

    func post() {
        let isFirst = isPending.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isFirst else { return }
        var event = SDL_Event()
        event.type = type
        if SDL_PushEvent(&event) != 1 { reset() }
    }

    /// Allows the next event to be sent. Called when the window begins to check for new content.
    func reset() { isPending.withLock { $0 = false } }
}
