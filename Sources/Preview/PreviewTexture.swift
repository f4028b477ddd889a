internal import CSDL
internal import Media

/// A picture of the graphics processor, which turns its luma and chroma into colours. Belongs to the main thread.
final class PreviewTexture {
    private let texture: OpaquePointer
    private let renderer: OpaquePointer
    private let pixel: PixelFormat
    private let size: FrameSize

    /// Makes a texture for frames like this one; `nil` where the graphics processor has no room, or the format is none that it takes.
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
        // SDL names the bytes of a number, the greatest first.
        case .bgra: SDL_PIXELFORMAT_ARGB8888.rawValue
        case .mjpeg, .h264, .i422, .grey, .converted: nil
        }
    }

    /// Whether a frame has the format and size of this texture.
    func fits(_ frame: CapturedFrame) -> Bool { frame.pixel == pixel && frame.size == size }

    /// Draws a frame that fits.
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
                    texture, nil, frame.plane(0), strides[0], frame.plane(1), strides[1], frame.plane(2),
                    strides[2])
            case (.nv12, 2):
                SDL_UpdateNVTexture(texture, nil, frame.plane(0), strides[0], frame.plane(1), strides[1])
            case (_, 1): SDL_UpdateTexture(texture, nil, frame.plane(0), strides[0])
            default: break
            }
        }
    }

    /// SDL knows no BT.709 of full range; the matrix of BT.601 is a slight tint off, where the other range would be grey for black.
    private static func mode(of color: ColorDescription) -> SDL_YUV_CONVERSION_MODE {
        switch (color.range, color.matrix) {
        case (.full, _): SDL_YUV_CONVERSION_JPEG
        case (.limited, .bt601): SDL_YUV_CONVERSION_BT601
        case (.limited, .bt709): SDL_YUV_CONVERSION_BT709
        }
    }
}
