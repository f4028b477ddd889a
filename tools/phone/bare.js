// A browser without an encoder, a processor of tracks or frames as objects, as some phones have: JPEG, and what an element shows.

delete window.VideoEncoder;
delete window.MediaStreamTrackProcessor;
delete window.VideoFrame;
delete window.OffscreenCanvas;
